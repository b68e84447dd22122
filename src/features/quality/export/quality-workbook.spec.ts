import { afterAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import * as fc from 'fast-check';
import { collect } from '../../../../test/support/collect.js';
import { givenGroup, givenResult, streamOf } from '../../../../test/support/given-release-group.js';
import {
  all,
  type ReadSheet,
  type ReadValue,
  type ReadWorkbook,
  readWorkbook,
} from '../../../../test/support/read-workbook.js';
import { sourceParserThreads } from '../../../../test/support/source-parser-threads.js';
import { WorkbookThreadService } from '../../../export/xlsx/workbook-thread.service.js';
import type { ReleaseGroupDto } from '../quality.dto.js';
import { qualityWorkbook } from './quality-workbook.js';

const thread = new WorkbookThreadService(sourceParserThreads());
afterAll(() => thread.onApplicationShutdown());

const SUBJECT = { org: 'acme & sons', createdAt: new Date('2026-11-21T18:00:00Z') };

/** Reads the workbook with another library than the one that wrote it. */
const workbookOf = async (groups: readonly ReleaseGroupDto[], maxRows?: number): Promise<ReadWorkbook> =>
  readWorkbook(Buffer.concat(await collect(qualityWorkbook(thread, SUBJECT, streamOf(...groups), maxRows))));

const rowsOf = ({ sheets }: ReadWorkbook, name: string): ReadSheet['rows'] =>
  sheets.find((sheet) => sheet.name === name)?.rows ?? [];

/** Lists the number of rows of each sheet, including the headings. */
const sizes = ({ sheets }: ReadWorkbook): readonly unknown[] => sheets.map(({ name, rows }) => [name, rows.length + 1]);

/** An endless stream of groups that do not compress well, so that the file grows as they are read. */
class EndlessGroups {
  count = 0;

  async *read(): AsyncGenerator<ReleaseGroupDto> {
    for (;;) {
      this.count += 1;
      yield givenGroup({ version: randomBytes(500).toString('hex') });
      await setImmediate();
    }
  }
}

describe('a workbook', () => {
  it('has a row for each release, and one for each of its results', async () => {
    const results = [
      givenResult(),
      givenResult({ type: 'coverage', metrics: { coverage: { line_percent: 81.25, branch_percent: null } } }),
    ];
    const workbook = await workbookOf([givenGroup({ results }), givenGroup({ version: 'v1.3.0', change: null })]);
    expect(workbook.sheets.map(({ name }) => name)).toEqual(['Releases', 'Results']);
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

  it('has frozen headings, filters over all rows, widths, and formats', async () => {
    const { sheets, definedNames } = await workbookOf([givenGroup()]);
    for (const { xml, cells } of sheets) {
      const headings = [...cells].filter(([address]) => /^[A-Z]+1$/.test(address));
      const [last = ''] = headings.at(-1) ?? [];
      expect(all(xml, 'sheetViews', 'sheetView', 'pane')).toMatchObject([
        { attributes: { state: 'frozen', ySplit: '1', topLeftCell: 'A2' } },
      ]);
      expect(all(xml, 'autoFilter')).toMatchObject([{ attributes: { ref: `A1:${last.replace('1', '2')}` } }]);
      expect(all(xml, 'sheetPr', 'pageSetUpPr')).toMatchObject([{ attributes: { fitToPage: '1' } }]);
      expect(all(xml, 'pageSetup')).toMatchObject([
        { attributes: { paperSize: '9', orientation: 'landscape', fitToHeight: '0' } },
      ]);
      // One page wide, which is the default.
      expect(all(xml, 'pageSetup')[0]?.attributes['fitToWidth'] ?? '1').toBe('1');
      const widths = all(xml, 'cols', 'col').flatMap(({ attributes: { min, max, width } }) =>
        Array.from({ length: Number(max) - Number(min) + 1 }, () => Number(width)),
      );
      expect(widths).toHaveLength(headings.length);
      for (const [at, [, heading]] of headings.entries()) {
        expect(heading.isBold).toBe(true);
        expect(widths[at]).toBeGreaterThan(String(heading.value).length);
      }
    }
    const [first] = sheets;
    expect([first?.cells.get('A2')?.format, first?.cells.get('E2')?.format]).toEqual(['@', '#,##0.0']);
    expect(definedNames).toEqual([
      "_xlnm.Print_Area 0 'Releases'!$A:$W",
      "_xlnm.Print_Titles 0 'Releases'!$1:$1",
      "_xlnm.Print_Area 1 'Results'!$A:$W",
      "_xlnm.Print_Titles 1 'Results'!$1:$1",
    ]);
  });

  it('continues on the next sheet if one is full', async () => {
    const groups = Array.from({ length: 5 }, (_, at) =>
      givenGroup({ version: `v1.${at}.0`, results: [givenResult(), givenResult({ type: 'sbom', metrics: {} })] }),
    );
    const workbook = await workbookOf(groups, 5);
    expect(sizes(workbook)).toEqual([
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

  it('does not begin another sheet without further rows', async () => {
    const full = await workbookOf([givenGroup(), givenGroup()], 3);
    expect(sizes(full)).toEqual([
      ['Releases', 3],
      ['Results', 3],
    ]);
    const empty = await workbookOf([]);
    expect(sizes(empty)).toEqual([
      ['Releases', 1],
      ['Results', 1],
    ]);
  });

  it('names its workspace and its time', async () => {
    const { properties } = await workbookOf([]);
    const created = new Date(properties['dcterms:created'] ?? '');
    expect([properties['dc:title'], properties['dc:creator'], created]).toEqual([
      'Release quality of acme & sons',
      'Shipgate',
      SUBJECT.createdAt,
    ]);
  });
});

describe('a text in a workbook', () => {
  const pipelines = async (...names: readonly string[]): Promise<readonly ReadValue[]> => {
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
    ['one\rtwo\r\nthree', 'one\rtwo\r\nthree'],
    ['deleted \u007F', 'deleted \u007F'],
    ['_x003D_1+1', '_x003D_1+1'],
    ['_x005F_x003D_1+1', '_x005F_x003D_1+1'],
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
          // The reader rejects cells with formulas.
          for (const { xml, rows } of workbook.sheets) {
            for (const [heading, value] of Object.entries(rows[0] ?? {})) {
              if (typeof value === 'string')
                expect([heading, value]).not.toEqual([heading, expect.stringMatching(/^\s*[=+\-@＝＋－＠]/)]);
              else
                expect([heading, value === null || typeof value === 'number' || value instanceof Date]).toEqual([
                  heading,
                  true,
                ]);
            }
            expect(all(xml, 'hyperlinks')).toEqual([]);
          }
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe('creating a workbook', () => {
  it('fails if the read fails, and returns no partial file', async () => {
    async function* failing(): AsyncGenerator<ReleaseGroupDto> {
      yield givenGroup();
      throw new Error('the database is gone');
    }
    await expect(collect(qualityWorkbook(thread, SUBJECT, failing()))).rejects.toThrow('the database is gone');
  });

  it('stops reading when the consumer stops', async () => {
    const groups = new EndlessGroups();
    const bytes = qualityWorkbook(thread, SUBJECT, groups.read());
    while (groups.count < 1_000) await bytes.next();
    await bytes.return(undefined);
    const before = groups.count;
    await sleep(200);
    expect(groups.count).toBe(before);
  });

  it('waits for a slow consumer', async () => {
    const groups = new EndlessGroups();
    const bytes = qualityWorkbook(thread, SUBJECT, groups.read());
    while (groups.count < 1_000) await bytes.next();
    let before = -1;
    while (before !== groups.count) {
      before = groups.count;
      await sleep(300);
    }
    expect(groups.count).toBeLessThan(5_000);
    await bytes.return(undefined);
  });

  it('creates several at once, each with its own rows', async () => {
    const versions = ['v1.0.0', 'v2.0.0', 'v3.0.0'];
    const workbooks = await Promise.all(versions.map((version) => workbookOf([givenGroup({ version })])));
    expect(workbooks.map((workbook) => rowsOf(workbook, 'Results').map(({ Version: version }) => version))).toEqual(
      versions.map((version) => [version]),
    );
  });

  it('fails if the thread ends, and another thread creates the next', async () => {
    const stopped = new WorkbookThreadService(sourceParserThreads());
    const groups = new EndlessGroups();
    const bytes = qualityWorkbook(stopped, SUBJECT, groups.read());
    while (groups.count < 1_000) await bytes.next();
    await stopped.onApplicationShutdown();
    await expect(collect(bytes)).rejects.toThrow('The thread that writes workbooks ended.');
    const next = await readWorkbook(
      Buffer.concat(await collect(qualityWorkbook(stopped, SUBJECT, streamOf(givenGroup())))),
    );
    expect(sizes(next)).toEqual([
      ['Releases', 2],
      ['Results', 2],
    ]);
    await stopped.onApplicationShutdown();
  });
});
