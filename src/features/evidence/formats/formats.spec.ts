import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import type { Metrics } from '../../../domain/evidence/evidence.js';
import { FORMAT_NAMES, parseReport, type ParsedReport, type ReportFile } from './formats.js';

const FIXTURES = new URL('../../../../test/fixtures/reports/', import.meta.url);

function bytesOf(path: string): Uint8Array {
  return readFileSync(new URL(path, FIXTURES));
}

/** The name says nothing, so that only the content can. */
function read(content: Uint8Array | string, rest: Omit<ReportFile, 'filename' | 'content'> = {}): ParsedReport {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const report = parseReport({ filename: 'report.bin', content: bytes, ...rest });
  if (!('metrics' in report)) throw new Error('kept as HTML');
  return report;
}

function tests(total: number, passed: number, failed: number, skipped: number, flaky?: number): Metrics {
  return { unit_tests: { total, passed, failed, skipped, ...(flaky !== undefined && { flaky }) } };
}

function findings(critical: number, high: number, medium: number, low: number): Metrics {
  return { sast_scan: { critical, high, medium, low } };
}

/** Fixture, metrics, failures, and the parts of notes. */
const CORPUS: readonly (readonly [string, Metrics, readonly string[], readonly string[]])[] = [
  ['junit/surefire-3.2.5.xml', tests(5, 2, 2, 1), [], []],
  [
    'junit/surefire-3.2.5-reruns.xml',
    tests(5, 2, 2, 1, 1),
    [],
    ['"shop.CartTest": 2 tests stated, 5 counted', '"shop.CartTest": 0 skipped stated, 1 counted'],
  ],
  ['junit/surefire-3.2.5-broken-setup.xml', tests(1, 0, 1, 0), [], []],
  // Todo tests are no different from passed ones in what jest-junit writes; its own total leaves them out.
  [
    'junit/jest-junit-17.xml',
    tests(5, 3, 1, 1),
    [],
    ['"cart": 4 tests stated, 5 counted', '"jest tests": 4 tests stated, 5 counted'],
  ],
  ['junit/jest-junit-17-green.xml', tests(5, 2, 0, 3), [], []],
  [
    'junit/jest-junit-17-suite-errors.xml',
    tests(6, 3, 2, 1),
    [],
    [
      '"cart": 4 tests stated, 5 counted',
      '"src/broken.test.js": 0 tests stated, 1 counted',
      '"jest tests": 4 tests stated, 6 counted',
    ],
  ],
  ['junit/pytest-9.xml', tests(11, 5, 4, 2), [], []],
  ['junit/pytest-9-collection-error.xml', tests(1, 0, 1, 0), [], []],
  ['junit/pytest-9-no-tests.xml', tests(0, 0, 0, 0), ['no tests'], []],
  ['junit/vitest-3.xml', tests(6, 2, 2, 2), [], []],
  [
    'junit/mocha-junit-reporter-2.xml',
    tests(3, 1, 2, 0),
    [],
    [
      '"cart": 3 tests stated, 2 counted',
      '"broken": 2 tests stated, 1 counted',
      '"Mocha Tests": 5 tests stated, 3 counted',
      '"Mocha Tests": 1 skipped stated, 0 counted',
    ],
  ],
  [
    'junit/mocha-xunit.xml',
    tests(4, 1, 2, 1),
    [],
    ['"Mocha Tests": 3 tests stated, 4 counted', '"Mocha Tests": 0 skipped stated, 1 counted'],
  ],
  // A todo that fails is a todo; node:test itself counts it among the failures of its suite.
  ['junit/node-test-20.xml', tests(6, 3, 1, 2), [], []],
  ['junit/playwright-1.xml', tests(6, 3, 1, 2), [], []],
  ['junit/oxlint-junit.xml', tests(2, 0, 2, 0), [], []],
  ['junit/gradle-8.xml', tests(4, 2, 1, 1, 1), [], []],
  ['junit/testng-7.xml', tests(4, 2, 1, 1), [], []],
  ['junit/googletest-1.xml', tests(4, 1, 1, 2), [], []],
  [
    'lcov/istanbul-jest-30.info',
    {
      coverage: {
        line_percent: 62.5,
        branch_percent: 50,
        lines: { covered: 5, total: 8 },
        branches: { covered: 3, total: 6 },
      },
    },
    [],
    [],
  ],
  [
    'lcov/node-test-20.info',
    {
      coverage: {
        line_percent: 100,
        branch_percent: 100,
        lines: { covered: 10, total: 10 },
        branches: { covered: 8, total: 8 },
      },
    },
    [],
    [],
  ],
  [
    'lcov/lcov-2-windows.info',
    {
      coverage: {
        line_percent: 60,
        branch_percent: 66.66,
        lines: { covered: 3, total: 5 },
        branches: { covered: 2, total: 3 },
      },
    },
    [],
    ['src/cart/tax.c: LH 1 stated, 0 counted'],
  ],
  ['sarif/eslint-9.sarif', findings(0, 3, 1, 0), [], ['ESLint: 1 results not counted: suppressed']],
  ['sarif/eslint-9-parse-error.sarif', findings(0, 0, 0, 0), ['ESLint says that its run did not succeed'], []],
  ['sarif/oxlint-1.sarif', findings(0, 1, 2, 0), [], []],
  ['sarif/codeql-2.sarif', findings(1, 1, 1, 1), [], ['CodeQL: 1 results not counted: suppressed']],
];

describe('the corpus', () => {
  it.each(CORPUS)('%s', (path, metrics, failures, notes) => {
    const report = read(bytesOf(path));
    expect(report.format).toBe(path.split('/')[0]);
    expect(report.metrics).toEqual(metrics);
    expect(report.failures).toEqual(failures);
    expect(report.notes.map((note) => note.replace(/^suite /, ''))).toEqual(notes);
  });
});

const SUITE = '<testsuite><testcase name="adds"/></testsuite>';
const html = (text: string, format?: string): unknown =>
  parseReport({ filename: 'page', content: new TextEncoder().encode(text), ...(format !== undefined && { format }) });

describe('which format a file is', () => {
  it('is what the uploader states, where the content agrees', () => {
    expect(read(SUITE, { format: 'junit' }).format).toBe('junit');
  });

  it.each([
    ['junit', 'SF:a.ts\nend_of_record\n', 'report.bin:1:1: stated as junit, but the content is an LCOV tracefile'],
    ['html', SUITE, 'stated as html, but the content is JUnit XML'],
    ['sarif', '<html></html>', 'stated as sarif, but the content is HTML'],
    ['lcov', 'anything', 'stated as lcov, but the content is something else'],
    ['cobertura', SUITE, 'the stated format is not one of junit, lcov, sarif, html'],
    ['', SUITE, 'the stated format is not one of'],
  ])('stated as %s, is never %s', (format, content, message) => {
    expect(() => read(content, { format })).toThrow(message);
  });

  it.each(['', ' \n', 'hello', '{}', '[]', '{"runs": []}', '<report/>', '<!-- <testsuite/> -->', '<!DOCTYPE html'])(
    'is none for %j',
    (content) => {
      expect(() => read(content)).toThrow(`no report of a known format (${FORMAT_NAMES.join(', ')})`);
    },
  );

  it.each([
    '<!doctype html><title>Coverage</title>',
    '<!-- made by a tool -->\n<HTML><body>junit: <testsuite/></body></HTML>',
    '<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "a>b.dtd"><html/>',
    '<!DOCTYPE html [<!ENTITY a "b"> <!ENTITY c "]">]><html/>',
  ])('is HTML, and has no numbers, for %s', (content) => {
    expect(html(content)).toEqual({ format: 'html' });
  });

  it('keeps a fragment for people where it is stated as HTML', () => {
    expect(html('all is well', 'html')).toEqual({ format: 'html' });
  });

  it('keeps a coverage page of Jest for people', () => {
    expect(parseReport({ filename: 'a.xml', content: bytesOf('html/istanbul-coverage.html') })).toEqual({
      format: 'html',
    });
  });
});

describe('which kind of evidence a report is', () => {
  it.each([
    [SUITE, undefined, 'unit_tests'],
    [SUITE, 'e2e_tests', 'e2e_tests'],
    [SUITE, 'integration_tests', 'integration_tests'],
    [SUITE, 'coverage', 'unit_tests'],
    ['SF:a\nDA:1,1\nend_of_record', 'unit_tests', 'coverage'],
  ] as const)('%s stated as %s is %s', (content, stated, kind) => {
    const report = read(content, stated === undefined ? {} : { kind: stated });
    expect(report.kind).toBe(kind);
    expect(Object.keys(report.metrics)).toEqual([kind]);
  });

  it('is a scan of dependencies where the uploader says so', () => {
    const { kind, metrics } = read(bytesOf('sarif/codeql-2.sarif'), { kind: 'security' });
    expect({ kind, metrics }).toEqual({
      kind: 'security',
      metrics: { security: { critical: 1, high: 1, medium: 1, low: 1 } },
    });
  });
});
