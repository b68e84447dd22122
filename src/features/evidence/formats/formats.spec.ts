import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { FORMAT_NAMES, parseReport, type ParsedReport, type ReportFile } from './formats.js';

const FIXTURES = new URL('../../../../test/fixtures/reports/', import.meta.url);

function bytesOf(path: string): Uint8Array {
  return readFileSync(new URL(path, FIXTURES));
}

/** The file name gives no hint, so that only the content decides. */
function read(content: Uint8Array | string, rest: Omit<ReportFile, 'filename' | 'content'> = {}): ParsedReport {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const report = parseReport({ filename: 'report.bin', content: [bytes], ...rest });
  if (!('metrics' in report)) throw new Error('kept as HTML');
  return report;
}

const SUITE = '<testsuite><testcase name="adds"/></testsuite>';
const html = (text: string, format?: string): unknown =>
  parseReport({ filename: 'page', content: [new TextEncoder().encode(text)], ...(format !== undefined && { format }) });

describe('the format of a file', () => {
  it('is the one that the uploader states, if the content agrees', () => {
    expect(read(SUITE, { format: 'junit' }).format).toBe('junit');
  });

  it.each([
    ['junit', 'SF:a.ts\nend_of_record\n', 'report.bin:1:1: stated as junit, but the content is an LCOV tracefile'],
    ['html', SUITE, 'stated as html, but the content is JUnit XML'],
    ['sarif', '<html></html>', 'stated as sarif, but the content is HTML'],
    ['lcov', 'anything', 'stated as lcov, but the content is something else'],
    ['pdf', SUITE, `the stated format is not one of ${FORMAT_NAMES.join(', ')}`],
    ['', SUITE, 'the stated format is not one of'],
  ])('stated as %s, is never %s', (format, content, message) => {
    expect(() => read(content, { format })).toThrow(message);
  });

  it('is unknown if two formats match, because either could pass', () => {
    const both = '{"testResults": [], "numTotalTests": 0, "version": "2.1.0", "runs": []}';
    expect(() => read(both)).toThrow('report.bin:1:1: the format is ambiguous: JSON of Jest or SARIF');
    expect(() => read(both, { format: 'sarif' })).toThrow('the format is ambiguous: JSON of Jest or SARIF');
  });

  it.each(['', ' \n', 'hello', '{}', '[]', '{"runs": []}', '<report/>', '<!-- <testsuite/> -->', '<!DOCTYPE html'])(
    'is unknown for %j',
    (content) => {
      expect(() => read(content)).toThrow(`not a report of a known format (${FORMAT_NAMES.join(', ')})`);
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

  it('is a document for an HTML fragment that is stated as HTML', () => {
    expect(html('all is well', 'html')).toEqual({ format: 'html' });
  });

  it('is a document for a coverage page of Jest', () => {
    expect(parseReport({ filename: 'a.xml', content: [bytesOf('html/istanbul-coverage.html')] })).toEqual({
      format: 'html',
    });
  });
});

describe('the kind of evidence of a report', () => {
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

  it('is a dependency scan if the uploader states it', () => {
    const { kind, metrics } = read(bytesOf('sarif/codeql-2.sarif'), { kind: 'security' });
    expect({ kind, metrics }).toEqual({
      kind: 'security',
      metrics: { security: { critical: 1, high: 1, medium: 1, low: 1 } },
    });
  });
});
