import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { EvidenceKind, EvidenceMetrics } from '../../../domain/evidence/evidence.js';
import { toBlocks } from '../../../http/body/byte-blocks.js';
import { parseFiles } from '../parsing/report-parsing.js';
import { buildUploadContent, type ReadContent, type UploadedContent } from './upload-content.js';

const TESTS = '<testsuite tests="1"><testcase name="pays"/></testsuite>';
const MATERIALS = readFileSync('test/fixtures/reports/cyclonedx/npm-11.json', 'utf8');
const NO_MATERIALS = '{"bomFormat":"CycloneDX","specVersion":"1.5"}';
const COVERAGE = 'TN:\nSF:src/pay.ts\nDA:1,1\nDA:2,0\nend_of_record\n';
const FAILED_AUDIT = '{"error":{"code":"ENOLOCK","summary":"This command requires an existing lockfile."}}';

function evaluate(files: Readonly<Record<string, string>>, metrics: EvidenceMetrics = {}): ReadContent {
  const uploaded = Object.entries(files).map(([filename, text]) => ({
    filename,
    content: toBlocks(new TextEncoder().encode(text)),
  }));
  const read = parseFiles({ files: uploaded, kind: undefined });
  if ('rejected' in read) throw new Error(read.rejected);
  return buildUploadContent({ kind: undefined, metrics: { ...metrics }, reports: [] }, read.files);
}

const document = (isBlank: boolean): UploadedContent['reports'][number] => ({
  name: 'notes',
  format: 'html',
  content: [],
  sha256: 'f',
  isBlank,
});

const kindsOf = ({ items }: ReadContent): readonly string[] => items.map(({ kind }) => kind);

describe('the evidence items of an upload', () => {
  it.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ['tests', { 'a.xml': TESTS }, ['unit_tests']],
    ['tests in two files, which count together', { 'a.xml': TESTS, 'b.xml': TESTS }, ['unit_tests']],
    ['a bill of materials, which is evidence without metrics', { 'bom.json': MATERIALS }, ['sbom']],
    ['a bill of materials and tests', { 'a.xml': TESTS, 'bom.json': MATERIALS }, ['unit_tests', 'sbom']],
    ['coverage and tests', { 'a.xml': TESTS, 'lcov.info': COVERAGE }, ['unit_tests', 'coverage']],
    ['a page for users', { 'a.html': '<!DOCTYPE html><p>Fine.</p>' }, ['custom']],
  ])('are of %s', (_name, files, kinds) => {
    expect(kindsOf(evaluate(files))).toEqual(kinds);
  });

  it('have no numbers for items without numbers, and count components', () => {
    const [bill] = evaluate({ 'bom.json': MATERIALS, 'empty.json': NO_MATERIALS }).items;
    expect(bill).toMatchObject({ kind: 'sbom', metrics: {}, failures: [], content: expect.any(Number), findings: [] });
    expect(bill?.content).toBeGreaterThan(0);
    expect(evaluate({ 'empty.json': NO_MATERIALS }).items).toMatchObject([{ kind: 'sbom', content: 0 }]);
  });

  it('name the failed tests of all files of a kind, at most 50', () => {
    const failing = (from: number, to: number): string =>
      `<testsuite>${Array.from({ length: to - from }, (_, n) => `<testcase name="t${from + n}"><failure/></testcase>`).join('')}</testsuite>`;
    const [few] = evaluate({ 'a.xml': failing(0, 2), 'b.xml': failing(1, 3), 'c.xml': TESTS }).items;
    expect(few?.failedTests.map(({ name }) => name)).toEqual(['t0', 't2']);
    const [many] = evaluate({ 'a.xml': failing(0, 150), 'b.xml': failing(150, 300) }).items;
    expect([many?.failedTests.length, many?.failedTests.at(-1)?.name]).toEqual([50, 't49']);
  });

  it('have no names for the failures that only metrics state', () => {
    const metrics = { unit_tests: { total: 3, passed: 1, failed: 2, skipped: 0 } };
    expect(evaluate({}, metrics).items).toMatchObject([{ failedTests: [] }]);
    expect(evaluate({ 'a.xml': TESTS }, metrics).items).toMatchObject([{ failedTests: [] }]);
  });

  it.each<[string, EvidenceKind, Partial<UploadedContent>, number]>([
    ['nothing', 'manual', {}, 0],
    [
      'metrics',
      'performance',
      { metrics: { p95: 120, tags: ['a'], cached: false, text: 'x', deep: { a: [{ b: 0 }] } } },
      5,
    ],
    ['metrics without a value', 'performance', { metrics: { a: null, b: {}, c: [[]], d: '', e: { f: ' ' } } }, 0],
    ['reports', 'custom', { reports: [document(false), document(true), document(false)] }, 2],
    ['metrics for a bill of materials', 'sbom', { metrics: { components: 3 } }, 0],
  ])('count the content of %s', (_what, kind, upload, content) => {
    const { items } = buildUploadContent({ kind, metrics: {}, reports: [], ...upload }, []);
    expect(items).toEqual([{ kind, metrics: {}, failures: [], content, failedTests: [], findings: [] }]);
  });

  it.each([
    ['a page', '<!DOCTYPE html><p>Fine.</p>', 'manual', 1],
    ['a page for a bill of materials', '<!DOCTYPE html><p>Fine.</p>', 'sbom', 0],
  ] as const)('count the content of %s', (_what, page, kind, content) => {
    const read = parseFiles({ files: [{ filename: 'a.html', content: toBlocks(Buffer.from(page)) }], kind });
    if ('rejected' in read) throw new Error(read.rejected);
    expect(buildUploadContent({ kind, metrics: {}, reports: [] }, read.files).items).toMatchObject([{ kind, content }]);
  });

  it('count the tests of several files', () => {
    expect(evaluate({ 'a.xml': TESTS, 'b.xml': TESTS }).items[0]?.metrics.unit_tests).toMatchObject({
      total: 2,
      passed: 2,
    });
  });

  it('carry the findings of all files by identity, which the stored summaries omit', () => {
    const scan = (...rules: readonly string[]): string => {
      const locations = [{ physicalLocation: { artifactLocation: { uri: 'pay.ts' } } }];
      const results = rules.map((ruleId) => ({ ruleId, level: ruleId === 'sql' ? 'error' : 'note', locations }));
      return JSON.stringify({ version: '2.1.0', runs: [{ tool: { driver: { name: 'S' } }, results }] });
    };
    const { items, reports } = evaluate({ 'a.sarif': scan('style', 'sql'), 'b.sarif': scan('sql', 'style', 'style') });
    expect(items[0]?.findings).toEqual([
      { id: expect.stringMatching(/^[0-9a-f]{32}$/), label: 'sql in pay.ts', severity: 'high', count: 2 },
      { id: expect.stringMatching(/^[0-9a-f]{32}$/), label: 'style in pay.ts', severity: 'low', count: 3 },
    ]);
    expect(reports.map(({ summary }) => Object.keys(summary as object))).not.toContainEqual(
      expect.arrayContaining(['findings']),
    );
  });

  it('share coverage exactly over several files', () => {
    const lines = (file: string, hits: readonly number[]): string =>
      `SF:${file}\n${hits.map((hit, line) => `DA:${line},${hit}`).join('\n')}\nend_of_record\n`;
    const half = (hit: number): readonly number[] => Array.from({ length: 50 }, (_, line) => (line < hit ? 1 : 0));
    const { items } = evaluate({ 'a.info': lines('a.ts', half(29)), 'b.info': lines('b.ts', half(0)) });
    // In binary fractions 29 / 100 * 100 is a little less than 29.
    expect(items[0]?.metrics.coverage).toMatchObject({ line_percent: 29, lines: { covered: 29, total: 100 } });
  });

  it('preserve the failure that a report states, regardless of its other content', () => {
    const [item] = evaluate({ 'audit.json': FAILED_AUDIT }).items;
    expect(item?.kind).toBe('security');
    expect(item?.failures).toHaveLength(1);
  });

  it('have at most 100 failures one by one, because every verdict reads them', () => {
    const name = 'n'.repeat(200);
    const broken = `<testsuite name="${name}"><testcase name="t"/>${'<error/>'.repeat(30)}</testsuite>`;
    const sizesOf = (files: number): readonly number[] => {
      const [item] = evaluate(Object.fromEntries(Array.from({ length: files }, (_, n) => [`${n}.xml`, broken]))).items;
      return [item?.failures.length ?? 0, JSON.stringify(item?.failures).length];
    };
    const [some, many] = [sizesOf(5), sizesOf(50)];
    expect([some[0], many[0]]).toEqual([101, 101]);
    expect(Math.abs((some[1] ?? 0) - (many[1] ?? 0))).toBeLessThan(100);
    const files = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`${n}.xml`, broken]));
    expect(evaluate(files).items[0]?.failures.at(-1)).toBe(`and ${50 * 21 - 100} more`);
  });

  it('name the file of each failure, such as an empty result file', () => {
    const files = { 'a.xml': TESTS, 'reports/empty.xml': '<testsuite/>', 'audit.json': FAILED_AUDIT };
    expect(evaluate(files).items.map(({ failures }) => failures)).toEqual([
      ['reports/empty.xml: no tests'],
      ['audit.json: the audit failed: ENOLOCK: This command requires an existing lockfile.'],
    ]);
  });

  it('prefer the files to the stated metrics, with a flag', () => {
    const stated = { unit_tests: { total: 9, passed: 9, failed: 0, skipped: 0 } };
    const { items, flags } = evaluate({ 'a.xml': TESTS }, stated);
    expect(items[0]?.metrics.unit_tests).toMatchObject({ total: 1 });
    expect(flags).toEqual(['metrics.unit_tests disagrees with the uploaded reports, which count.']);
  });
});
