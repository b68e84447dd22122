import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { CORPUS } from '../../../../test/report-corpus/corpus.js';
import { FORMAT_NAMES, parseReport } from './formats.js';

const FIXTURES = new URL('../../../../test/fixtures/reports/', import.meta.url);

const FORMATS = FORMAT_NAMES.filter((name) => name !== 'html');
const FILES = FORMATS.flatMap((format) => readdirSync(new URL(format, FIXTURES)).map((name) => `${format}/${name}`));

describe('the corpus', () => {
  it('has a row for every fixture', () => {
    expect(CORPUS.map(({ path }) => path).sort()).toEqual([...FILES].sort());
  });

  it('says in its README who wrote each', () => {
    const readme = readFileSync(new URL('README.md', FIXTURES), 'utf8');
    expect(CORPUS.filter(({ path }) => !readme.includes(`\`${path}\``))).toEqual([]);
    expect(CORPUS.filter(({ writtenBy }) => writtenBy.trim() === '')).toEqual([]);
  });

  it.each(CORPUS)('$path, written by $writtenBy', ({ path, metrics, failures, notes, roll }) => {
    // The name says nothing, so that only the content can.
    const report = parseReport({ filename: 'report.bin', content: readFileSync(new URL(path, FIXTURES)) });
    if (!('metrics' in report)) throw new Error('kept as HTML');
    expect(report.format).toBe(path.split('/')[0]);
    expect(report.metrics).toEqual(metrics);
    expect(report.failures.map((sentence, index) => sentence.slice(0, failures[index]?.length))).toEqual(failures);
    expect(report.notes).toEqual(notes);
    expect(report.tests).toHaveLength(roll);
  });
});
