import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { escapeFormulaInField, escapeFormula } from '../../src/export/csv.js';
import { WorkbookThreadService } from '../../src/export/xlsx/workbook-thread.service.js';
import { csvLines } from '../../src/features/quality/export/quality-csv.js';
import { qualityWorkbook } from '../../src/features/quality/export/quality-workbook.js';
import { collect } from '../support/collect.js';
import { givenGroup, givenResult, streamOf } from '../support/given-release-group.js';
import { sourceParserThreads } from '../support/source-parser-threads.js';

/** LibreOffice, which must be installed. `SOFFICE` names the program if it is not on the path. */
const SOFFICE = process.env['SOFFICE'] ?? 'soffice';
/** Comma, quote, UTF-8, from the first row; every sheet. */
const AS_CSV = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1';
/** The default settings of its import dialog for such a file. */
const FROM_CSV = ['--infilter=Text - txt - csv (StarCalc):44,34,76,1'];

const LEADS = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠', '﹦', '−'];
const UNSEEN = ['', ' ', '\u00A0', '\u200B', '\uFEFF'];
const FORMULAS = ['1+1', 'SUM(1,2)', 'HYPERLINK("http://127.0.0.1/","x")', "cmd|'/C calc'!A0"];
const HOSTILE = [
  ...LEADS.flatMap((lead) => UNSEEN.flatMap((unseen) => FORMULAS.map((formula) => unseen + lead + formula))),
  'a;=1+1',
  '_x003D_1+1',
  '"=1+1"',
];

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'shipgate-spreadsheets-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const GROUPS = HOSTILE.map((text) =>
  givenGroup({ repo: text, version: text, results: [givenResult({ pipeline: text, environment: text })] }),
);

/** Opens the file in LibreOffice. Returns its cells, sheet by sheet, as CSV. */
function opened(name: string, content: Uint8Array, asWhat: readonly string[] = []): string {
  writeFileSync(path.join(folder, name), content);
  const profile = `-env:UserInstallation=file://${folder}/profile`;
  const out = path.join(folder, `${name}-opened`);
  execFileSync(SOFFICE, [profile, '--headless', ...asWhat, '--convert-to', AS_CSV, '--outdir', out, name], {
    cwd: folder,
    stdio: 'ignore',
  });
  return readdirSync(out)
    .map((sheet) => withLineFeeds(readFileSync(path.join(out, sheet), 'utf8')))
    .join('\n');
}

describe('LibreOffice', () => {
  it('computes nothing in a workbook', async () => {
    const thread = new WorkbookThreadService(sourceParserThreads());
    const content = Buffer.concat(
      await collect(qualityWorkbook(thread, { org: 'acme', createdAt: new Date(0) }, streamOf(...GROUPS))),
    );
    await thread.onApplicationShutdown();
    const text = opened('report.xlsx', content);
    expect(HOSTILE.filter((hostile) => !text.includes(quoted(escapeFormula(hostile))))).toEqual([]);
  });

  it('computes nothing in CSV', async () => {
    const content = Buffer.from((await collect(csvLines(streamOf(...GROUPS)))).join(''));
    const text = opened('lines.csv', content, FROM_CSV);
    expect(HOSTILE.filter((hostile) => !text.includes(quoted(escapeFormulaInField(hostile))))).toEqual([]);
  });

  it('computes formulas without this protection', () => {
    expect(opened('control.csv', Buffer.from('before,=1+1,after\r\n'), FROM_CSV)).toContain('before,2,after');
  });
});

/** The text as a field of CSV, with each line end as a line feed. */
const quoted = (text: string): string => withLineFeeds(text.replaceAll('"', '""'));

const withLineFeeds = (text: string): string => text.replaceAll('\r', '\n');
