import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import ExcelJS from 'exceljs';
import * as fc from 'fast-check';
import { collected } from '../../../../../test/support/collected.js';
import { givenGroup, givenResult, streamOf } from '../../../../../test/support/given-release-group.js';
import type { ReleaseGroup } from '../../release-quality.js';
import { qualityWorkbook } from './workbook.js';

const SUBJECT = { org: 'acme & sons', madeAt: new Date('2026-11-21T18:00:00Z') };

/** Read by another library than the one that wrote it. */
async function workbookOf(groups: readonly ReleaseGroup[], maxRows?: number): Promise<ExcelJS.Workbook> {
  const workbook = new ExcelJS.Workbook();
  const bytes = Buffer.concat(await collected(qualityWorkbook(SUBJECT, streamOf(...groups), maxRows)));
  return workbook.xlsx.load(bytes as never);
}

type Row = Readonly<Record<string, ExcelJS.CellValue>>;

/** The rows of a sheet, each by the headings. */
function rowsOf(workbook: ExcelJS.Workbook, name: string): readonly Row[] {
  const [headings = [], ...rows] = (workbook.getWorksheet(name)?.getSheetValues() ?? []).slice(1) as unknown as (
    readonly ExcelJS.CellValue[] | undefined
  )[];
  // Both count from one.
  const names = headings.slice(1).map(String);
  return rows.map((row) => Object.fromEntries(names.map((heading, at) => [heading, row?.[at + 1] ?? null])));
}

describe('a workbook', () => {
  it('has a row for each release, and one for each of its results', async () => {
    const results = [
      givenResult(),
      givenResult({ type: 'coverage', metrics: { coverage: { line_percent: 81.25, branch_percent: null } } }),
    ];
    const workbook = await workbookOf([givenGroup({ results }), givenGroup({ version: 'v1.3.0', change: null })]);
    expect(workbook.worksheets.map(({ name }) => name)).toEqual(['Releases', 'Results']);
    const releases = rowsOf(workbook, 'Releases');
    expect(releases).toHaveLength(2);
    expect(releases[0]).toMatchObject({
      Repository: 'payments',
      Score: 69.9,
      Grade: 'D',
      'Coverage score': null,
      'Score change': -2.5,
      'Coverage change': 0.26,
      'New failures': 1,
      'Lost tests': 25,
      Results: 2,
    });
    expect(releases[1]).toMatchObject({ Version: 'v1.3.0', 'Compared with': null, 'New failures': null });
    expect(rowsOf(workbook, 'Results')).toMatchObject([
      {
        Version: 'v1.4.0',
        Type: 'unit_tests',
        'Received (UTC)': new Date('2026-11-20T09:30:00Z'),
        Tests: 142,
        Failed: 1,
      },
      { Version: 'v1.4.0', Type: 'coverage', Tests: null, 'Line coverage %': 81.25, 'Branch coverage %': null },
      { Version: 'v1.3.0', Type: 'unit_tests' },
    ]);
  });

  it('has headings that stay, filters over all rows, widths, and formats', async () => {
    const workbook = await workbookOf([givenGroup()]);
    for (const sheet of workbook.worksheets) {
      expect(sheet.views).toMatchObject([{ state: 'frozen', ySplit: 1 }]);
      expect(sheet.autoFilter).toBe(`A1:${sheet.getRow(1).getCell(sheet.columnCount).address.replace('1', '2')}`);
      expect(sheet.pageSetup).toMatchObject({ orientation: 'landscape', fitToWidth: 1, printTitlesRow: '1:1' });
      for (let at = 1; at <= sheet.columnCount; at += 1) {
        const heading = sheet.getRow(1).getCell(at);
        expect(heading.font).toMatchObject({ bold: true });
        expect(sheet.getColumn(at).width).toBeGreaterThan(heading.text.length);
      }
    }
    const [first] = workbook.worksheets;
    expect([first?.getCell('A2').numFmt, first?.getCell('E2').numFmt]).toEqual(['@', '#,##0.0']);
  });

  it('goes on on the next sheet where one is full', async () => {
    const groups = Array.from({ length: 5 }, (_, at) =>
      givenGroup({ version: `v1.${at}.0`, results: [givenResult(), givenResult({ type: 'sbom', metrics: {} })] }),
    );
    const workbook = await workbookOf(groups, 5);
    expect(workbook.worksheets.map(({ name, rowCount }) => [name, rowCount])).toEqual([
      ['Releases', 5],
      ['Releases 2', 2],
      ['Results', 5],
      ['Results 2', 5],
      ['Results 3', 3],
    ]);
    const versions = ['Results', 'Results 2', 'Results 3'].flatMap((name) =>
      rowsOf(workbook, name).map(({ Version: version }) => version),
    );
    expect(versions).toEqual(groups.flatMap(({ version }) => [version, version]));
  });

  it('does not begin a sheet for rows that there are none of', async () => {
    const full = await workbookOf([givenGroup(), givenGroup()], 3);
    expect(full.worksheets.map(({ name, rowCount }) => [name, rowCount])).toEqual([
      ['Releases', 3],
      ['Results', 3],
    ]);
    const empty = await workbookOf([]);
    expect(empty.worksheets.map(({ name, rowCount }) => [name, rowCount])).toEqual([
      ['Releases', 1],
      ['Results', 1],
    ]);
  });

  it('says whose it is, and of when', async () => {
    const { title, creator, created } = await workbookOf([]);
    expect([title, creator, created]).toEqual(['Release quality of acme & sons', 'Shipgate', SUBJECT.madeAt]);
  });
});

describe('a text in a workbook', () => {
  const pipelines = async (...names: readonly string[]): Promise<readonly ExcelJS.CellValue[]> => {
    const results = names.map((pipeline) => givenResult({ pipeline }));
    return rowsOf(await workbookOf([givenGroup({ results })]), 'Results').map(
      ({ Pipeline: pipeline }) => pipeline ?? null,
    );
  };

  it.each([
    ['=1+1', "'=1+1"],
    ['＝HYPERLINK("x")', '\'＝HYPERLINK("x")'],
    [' \u200B@A1', "' \u200B@A1"],
    ['<b>&"quoted"</b>', '<b>&"quoted"</b>'],
    ['  spaces kept  ', '  spaces kept  '],
    ['مرحبا 🚀', 'مرحبا 🚀'],
    ['two\nlines', 'two\nlines'],
    ['a\u0001b\u000Bc\uFFFEd\uFFFF', 'a\uFFFDb\uFFFDc\uFFFDd\uFFFD'],
    ['lone \uD800 half', 'lone \uFFFD half'],
    // exceljs does not read what it stands for: a low line and the rest.
    ['_x003D_1+1', '_x005F_x003D_1+1'],
  ])('%j is read as %j', async (text, read) => {
    expect(await pipelines(text)).toEqual([read]);
  });

  it('is no longer than a cell may be, and is cut between characters', async () => {
    const [whole, long, paired] = await pipelines('x'.repeat(32_767), 'x'.repeat(40_000), '🚀'.repeat(20_000));
    expect(whole).toBe('x'.repeat(32_767));
    expect(long).toBe(`${'x'.repeat(32_766)}…`);
    expect(paired).toBe(`${'🚀'.repeat(16_383)}…`);
  });

  it('is never a formula, a link or a number, in any column', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary', maxLength: 40 }),
        fc.constantFrom('', '=', '+', '-', '@', '\t', '＝', '1', 'https://', '<f>', '_x003D_'),
        async (text, lead) => {
          const hostile = lead + text;
          const named = {
            org: hostile,
            repo: hostile,
            version: hostile,
            stage: hostile as never,
            milestoneId: hostile,
          };
          const result = { pipeline: hostile, environment: hostile, evidenceId: hostile, commitSha: hostile };
          const workbook = await workbookOf([givenGroup({ ...named, results: [givenResult(result)] })]);
          for (const sheet of workbook.worksheets) {
            sheet.getRow(2).eachCell((cell, at) => {
              const { value } = cell;
              const heading = sheet.getRow(1).getCell(at).text;
              if (typeof value === 'string')
                expect([heading, value]).not.toEqual([heading, expect.stringMatching(/^\s*[=+\-@＝＋－＠]/)]);
              else expect([heading, typeof value === 'number' || value instanceof Date]).toEqual([heading, true]);
              expect([heading, cell.formula, cell.hyperlink]).toEqual([heading, undefined, undefined]);
            });
          }
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe('making a workbook', () => {
  it('fails where the reading does, and not as if it were whole', async () => {
    async function* failing(): AsyncGenerator<ReleaseGroup> {
      yield givenGroup();
      throw new Error('the database is gone');
    }
    await expect(collected(qualityWorkbook(SUBJECT, failing()))).rejects.toThrow('the database is gone');
  });

  it('reads no further once nobody listens', async () => {
    let read = 0;
    async function* endless(): AsyncGenerator<ReleaseGroup> {
      for (;;) {
        read += 1;
        yield givenGroup({ version: String(Math.sin(read)) });
      }
    }
    for await (const chunk of qualityWorkbook(SUBJECT, endless())) if (chunk.length > 1_000) break;
    const before = read;
    await setImmediate();
    expect(read).toBe(before);
  });

  it('waits for whoever reads slowly', async () => {
    let read = 0;
    async function* endless(): AsyncGenerator<ReleaseGroup> {
      for (;;) {
        read += 1;
        // Nothing that packs well: the file must grow as it is read.
        yield givenGroup({ version: randomBytes(500).toString('hex') });
        await setImmediate();
      }
    }
    const bytes = qualityWorkbook(SUBJECT, endless())[Symbol.asyncIterator]();
    await bytes.next();
    let before = -1;
    while (before !== read) {
      before = read;
      for (let turn = 0; turn < 200; turn += 1) await setImmediate();
    }
    expect(read).toBeLessThan(5_000);
    await bytes.return?.(undefined);
  });
});
