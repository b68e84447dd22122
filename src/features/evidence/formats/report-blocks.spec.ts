import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { CORPUS } from '../../../../test/report-corpus/corpus.js';
import { parseReport } from './formats.js';
import { ReportError } from './report-text.js';

const FIXTURES = new URL('../../../../test/fixtures/reports/', import.meta.url);

/** Parses content in blocks. Returns the report, or the message of the error. */
function readingOf(content: readonly Uint8Array[]): unknown {
  try {
    const report = parseReport({ filename: 'report', content });
    return 'kind' in report ? { ...report, testResults: report.testResults?.packed() } : report;
  } catch (error) {
    if (error instanceof ReportError) return error.message;
    throw error;
  }
}

function cut(bytes: Uint8Array, size: number): readonly Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, nth) =>
    bytes.subarray(nth * size, (nth + 1) * size),
  );
}

/** Returns the file, and copies of it with an addition or a damage. */
function variantsOf(bytes: Buffer): readonly Buffer[] {
  const middle = bytes.length >> 1;
  const changed = (at: number, byte: number): Buffer => {
    const copy = Buffer.from(bytes);
    copy[at] = byte;
    return copy;
  };
  return [
    bytes,
    Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]),
    Buffer.concat([Buffer.from('\n<!-- a comment that is longer than a block, and has an é -->\n'), bytes]),
    bytes.subarray(0, middle),
    bytes.subarray(0, bytes.length - 3),
    changed(middle, 0),
    changed(middle, 0xff),
    changed(middle, 0x3c),
    changed(1, 0x3e),
  ];
}

describe('a report that is read in blocks', () => {
  it.each(CORPUS.map(({ path }) => path))('has the same result as in one block: %s', (path) => {
    for (const [nth, bytes] of variantsOf(readFileSync(new URL(path, FIXTURES))).entries()) {
      const whole = readingOf([bytes]);
      // Within the prolog, and somewhere in a large file.
      for (const size of [Math.max(7, bytes.length >> 8), 1_000]) {
        expect([nth, size, readingOf(cut(bytes, size))]).toEqual([nth, size, whole]);
      }
    }
  });

  it.each([
    ['a name', '<?xml version="1.0"?><testsuites><testsuite name="a"><testcase name="b"/></testsuite></testsuites>'],
    ['attributes', `<coverage generated="1" x="${'>'.repeat(99)}" line-rate="1"></coverage>`],
    ['a doctype', `<!DOCTYPE html [ <!-- ${'-'.repeat(50)} ]><html></html>`],
    ['more than one format', '# a\n\n1..1\nok 1\nTN:\n'],
    ['nothing', ''],
  ])('has the same result at any cut: %s', (_, text) => {
    const bytes = Buffer.from(text);
    const whole = readingOf([bytes]);
    for (let at = 0; at <= bytes.length; at += 1) {
      expect([at, readingOf([bytes.subarray(0, at), bytes.subarray(at)])]).toEqual([at, whole]);
    }
  });
});
