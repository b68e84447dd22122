import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { EvidenceKind, Metrics } from '../../../domain/evidence/evidence.js';
import { toBlocks } from '../../../http/body/byte-blocks.js';
import { parseFiles } from '../parsing/report-parsing.js';
import { buildUploadContent, type ReadContent, type UploadedContent } from './upload-content.js';

const TESTS = '<testsuite tests="1"><testcase name="pays"/></testsuite>';
const MATERIALS = readFileSync('test/fixtures/reports/cyclonedx/npm-11.json', 'utf8');
const NO_MATERIALS = '{"bomFormat":"CycloneDX","specVersion":"1.5"}';
const COVERAGE = 'TN:\nSF:src/pay.ts\nDA:1,1\nDA:2,0\nend_of_record\n';
const FAILED_AUDIT = '{"error":{"code":"ENOLOCK","summary":"This command requires an existing lockfile."}}';

function evaluate(files: Readonly<Record<string, string>>, metrics: Metrics = {}): ReadContent {
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
    expect(bill).toEqual({ kind: 'sbom', metrics: {}, failures: [], content: expect.any(Number) });
    expect(bill?.content).toBeGreaterThan(0);
    expect(evaluate({ 'empty.json': NO_MATERIALS }).items).toMatchObject([{ kind: 'sbom', content: 0 }]);
  });

  it.each<[string, EvidenceKind, Partial<UploadedContent>, number]>([
    ['nothing', 'manual', {}, 0],
    [
      'metrics',
      'performance',
      { metrics: { p95: 120, tags: ['a'], ok: false, text: 'x', deep: { a: [{ b: 0 }] } } },
      5,
    ],
    ['metrics without a value', 'performance', { metrics: { a: null, b: {}, c: [[]], d: '', e: { f: ' ' } } }, 0],
    ['reports', 'custom', { reports: [document(false), document(true), document(false)] }, 2],
    ['metrics for a bill of materials', 'sbom', { metrics: { components: 3 } }, 0],
  ])('count the content of %s', (_what, kind, upload, content) => {
    const { items } = buildUploadContent({ kind, metrics: {}, reports: [], ...upload }, []);
    expect(items).toEqual([{ kind, metrics: {}, failures: [], content }]);
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

  it('prefer the files to the stated metrics, with a flag', () => {
    const stated = { unit_tests: { total: 9, passed: 9, failed: 0, skipped: 0 } };
    const { items, flags } = evaluate({ 'a.xml': TESTS }, stated);
    expect(items[0]?.metrics.unit_tests).toMatchObject({ total: 1 });
    expect(flags).toEqual(['metrics.unit_tests disagrees with the uploaded reports, which count.']);
  });
});
