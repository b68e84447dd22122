import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { collected } from '../../../test/support/collected.js';
import { givenGroup, givenResult, streamOf } from '../../../test/support/given-release-group.js';
import type { ReleaseGroup } from '../quality/release-group.js';
import { csvLines } from './csv-lines.js';
import { harmlessField } from './harmless-text.js';
import { resultsOf, WHOLE_RESULT_COLUMNS } from './result-columns.js';
import { RowSource } from './row-source.js';
import type { TableColumn } from './table-column.js';

async function csvOf(...groups: readonly ReleaseGroup[]): Promise<string> {
  const pieces = await collected(csvLines(WHOLE_RESULT_COLUMNS, RowSource.of(streamOf(...groups), resultsOf)));
  return pieces.join('');
}

/** RFC 4180 to the letter: anything else is a fault. */
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
  it('has a line of headings behind a byte order mark, and a line for each result', async () => {
    const csv = await csvOf(givenGroup({ results: [givenResult(), givenResult({ type: 'sbom', metrics: {} })] }));
    expect(csv.startsWith('\uFEFFOrganization,Repository,Version,')).toBe(true);
    const [headings, first, second, ...rest] = parse(csv.slice(1));
    expect(rest).toEqual([]);
    const told = Object.fromEntries((headings ?? []).map((heading, at) => [heading, first?.[at]]));
    expect(told).toMatchObject({
      Repository: 'payments',
      Version: 'v1.4.0',
      Score: '69.9',
      'Coverage score': '',
      Incomplete: 'coverage',
      'Grade limited by': '1 test of "build and test" fails.',
      'Score change': '-2.5',
      'Coverage change': '0.26',
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

  it('of nothing has the headings alone', async () => {
    expect(parse((await csvOf()).slice(1))).toHaveLength(1);
  });

  it.each([
    { critical: Number.NaN, high: '=1', medium: null, low: Number.POSITIVE_INFINITY },
    { critical: { toString: '=1' }, high: [], medium: '-5', low: true },
  ])('states no number that is none: %j', async (security) => {
    const group = givenGroup({ results: [givenResult({ type: 'security', metrics: { security } as never })] });
    const [headings = [], row = []] = parse((await csvOf(group)).slice(1));
    expect(['Critical', 'High', 'Medium', 'Low'].map((name) => row[headings.indexOf(name)])).toEqual(['', '', '', '']);
  });

  it('keeps any text in one field that no spreadsheet computes, in every column', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(WHOLE_RESULT_COLUMNS.length - 1),
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.constantFrom(
          '',
          '=',
          '+',
          '-',
          '@',
          '\t',
          '\r',
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
        async (at, text, lead) => {
          const hostile = lead + text;
          const columns = WHOLE_RESULT_COLUMNS.map((column, place): TableColumn<unknown> => ({
            ...column,
            of: () => (place === at ? hostile : null),
          }));
          const pieces = await collected(csvLines(columns, RowSource.of(streamOf(givenGroup()), resultsOf)));
          const [, row, ...rest] = parse(pieces.join('').slice(1));
          expect(rest).toEqual([]);
          expect(row?.[at]).toBe(harmlessField(hostile));
          expect(row?.[at]).not.toMatch(/^[=+\-@\t\r＝＋－＠]/);
        },
      ),
    );
  });

  it('gives its lines away before it has all of them', async () => {
    const many = Array.from({ length: 300 }, () => givenGroup());
    const pieces = await collected(csvLines(WHOLE_RESULT_COLUMNS, RowSource.of(streamOf(...many), resultsOf)));
    expect(pieces).toHaveLength(3);
  });
});
