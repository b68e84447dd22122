import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { CORPUS } from '../../../../test/report-corpus/corpus.js';
import { decodeTestResults } from '../../../../test/report-corpus/decode-test-results.js';
import { FORMATS, parseReport } from './formats.js';
import { ReportText } from './report-text.js';

const FIXTURES = new URL('../../../../test/fixtures/reports/', import.meta.url);

const FILES = FORMATS.flatMap(({ name }) => readdirSync(new URL(name, FIXTURES)).map((file) => `${name}/${file}`));

describe('the corpus', () => {
  it('has a row for every fixture', () => {
    expect(CORPUS.map(({ path }) => path).sort()).toEqual([...FILES].sort());
  });

  it('names in its README the tool that wrote each', () => {
    const readme = readFileSync(new URL('README.md', FIXTURES), 'utf8');
    expect(CORPUS.filter(({ path }) => !readme.includes(`\`${path}\``))).toEqual([]);
    expect(CORPUS.filter(({ writtenBy }) => writtenBy.trim() === '')).toEqual([]);
  });

  it.each(CORPUS)('$path, written by $writtenBy', ({ path, metrics, failures, notes, testResults }) => {
    // The file name gives no hint, so that only the content decides.
    const report = parseReport({ filename: 'report.bin', content: [readFileSync(new URL(path, FIXTURES))] });
    if (!('metrics' in report)) throw new Error('kept as HTML');
    expect(report.format).toBe(path.split('/')[0]);
    expect(report.metrics).toEqual(metrics);
    expect(report.failures.map((sentence, index) => sentence.slice(0, failures[index]?.length))).toEqual(failures);
    expect(report.notes).toEqual(notes);
    expect(report.testResults === null ? [] : decodeTestResults(report.testResults.packed())).toHaveLength(testResults);
  });

  it.each(CORPUS)('$path is detected by one format only', ({ path }) => {
    const text = ReportText.decode('report.bin', readFileSync(new URL(path, FIXTURES)));
    const detected = FORMATS.filter((format) => format.detect(text)).map(({ name }) => name);
    expect(detected).toEqual([path.split('/')[0]]);
  });
});
