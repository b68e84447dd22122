import { describe, expect, it } from '@jest/globals';
import { stringify } from 'csv-stringify/sync';
import * as fc from 'fast-check';
import { collect } from '../../../../test/support/collect.js';
import { givenGroup, givenResult, streamOf } from '../../../../test/support/given-release-group.js';
import { escapeFormulaInField } from '../../../export/csv.js';
import type { ReleaseGroupDto } from '../quality.dto.js';
import { csvLines } from './quality-csv.js';

async function csvOf(...groups: readonly ReleaseGroupDto[]): Promise<string> {
  return (await collect(csvLines(streamOf(...groups)))).join('');
}

/** Parses CSV strictly by RFC 4180. Throws for anything else. */
function parse(csv: string): readonly (readonly string[])[] {
  const rows: string[][] = [[]];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  while (field.lastIndex < csv.length) {
    const at = field.lastIndex;
    const match = field.exec(csv);
    if (!match) throw new Error(`no field at ${at}: ${JSON.stringify(csv.slice(at, at + 50))}`);
    rows.at(-1)?.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === '\r\n') rows.push([]);
  }
  return rows.slice(0, -1);
}

describe('CSV', () => {
  it('has a byte order mark, a line of headings, and a line for each result', async () => {
    const csv = await csvOf(givenGroup({ results: [givenResult(), givenResult({ type: 'sbom', metrics: {} })] }));
    expect(csv.startsWith('\uFEFFOrganization,Repository,Version,')).toBe(true);
    const [headings, first, second, ...rest] = parse(csv.slice(1));
    expect(rest).toEqual([]);
    const received = Object.fromEntries((headings ?? []).map((heading, at) => [heading, first?.[at]]));
    expect(received).toMatchObject({
      Repository: 'payments',
      Version: 'v1.4.0',
      Score: '69.9',
      'Coverage score': '',
      Incomplete: 'coverage',
      'Grade limited by': '1 test of "build and test" fails.',
      'Score change': '-2.5',
      'Coverage change': '0.26',
      'Tests compared': 'known',
      'Flaky rate %': '1.41',
      Type: 'unit_tests',
      Decides: 'yes',
      'Received (UTC)': '2026-11-20T09:30:00.000Z',
      Tests: '142',
      Failed: '1',
      'Line coverage %': '',
      'Release id': '00000000-0000-4000-8000-0000000000a1',
    });
    expect([first?.length, second?.length]).toEqual([headings?.length, headings?.length]);
  });

  it('has only the headings if there are no releases', async () => {
    expect(parse((await csvOf()).slice(1))).toHaveLength(1);
  });

  it.each([
    { critical: Number.NaN, high: '=1', medium: null, low: Number.POSITIVE_INFINITY },
    { critical: { toString: '=1' }, high: [], medium: '-5', low: true },
  ])('leaves out values that are not numbers: %j', async (security) => {
    const group = givenGroup({ results: [givenResult({ type: 'security', metrics: { security } as never })] });
    const [headings = [], row = []] = parse((await csvOf(group)).slice(1));
    expect(['Critical', 'High', 'Medium', 'Low'].map((name) => row[headings.indexOf(name)])).toEqual(['', '', '', '']);
  });

  it('writes any text as one field that no spreadsheet computes, in every column', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.constantFrom(
          '',
          '=',
          '+',
          '-',
          '@',
          '\t',
          '\r',
          '\n',
          '＝',
          '＋',
          '－',
          '＠',
          ' =',
          '\u200B@',
          ';=',
          '"',
          '",=',
          '\n+',
        ),
        async (text, lead) => {
          const hostile = lead + text;
          const csv = await csvOf(everywhere(hostile));
          const [headings = [], row, ...rest] = parse(csv.slice(1));
          expect(rest).toEqual([]);
          const received = new Map(headings.map((heading, at) => [heading, row?.[at]]));
          expect(TEXTS.map((heading) => received.get(heading))).toEqual(TEXTS.map(() => escapeFormulaInField(hostile)));
          expect(row?.filter((field) => /^[\s\u200B]*[=+\-@＝＋－＠]/.test(field))).toEqual([]);
          // Another library writes the same file.
          expect(csv).toBe(
            `\uFEFF${stringify([headings, row], { record_delimiter: 'windows', quote_record_delimiter: true })}`,
          );
        },
      ),
    );
  });

  it('returns lines before it has all of them', async () => {
    expect(await collect(csvLines(streamOf(givenGroup(), givenGroup())))).toHaveLength(3);
  });
});

/** The columns that contain user input. */
const TEXTS = [
  'Organization',
  'Repository',
  'Version',
  'Stage',
  'Grade',
  'Incomplete',
  'Grade limited by',
  'Compared with',
  'Release id',
  'Type',
  'Environment',
  'Pipeline',
  'Status',
  'Commit',
  'Evidence id',
];

/** Returns a release that has this text in every field. */
function everywhere(text: string): ReleaseGroupDto {
  const hostile = text as never;
  const result = {
    evidenceId: text,
    type: hostile,
    environment: text,
    pipeline: text,
    commitSha: text,
    status: hostile,
  };
  return givenGroup({
    milestoneId: text,
    org: text,
    repo: text,
    version: text,
    stage: hostile,
    scorecard: {
      ...givenGroup().scorecard,
      grade: hostile,
      incomplete: [hostile],
      caps: [{ grade: 'D', reason: text }],
    },
    change: { against: { milestoneId: text, version: text }, score: null, coverage: null, tests: null },
    results: [givenResult(result)],
  });
}
