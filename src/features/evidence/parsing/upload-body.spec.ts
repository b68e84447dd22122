import { describe, expect, it } from '@jest/globals';
import { sha256 } from '../../../crypto/digests.js';
import { type Blocks, toBlocks } from '../../../http/body/byte-blocks.js';
import { type BodyParseResult, type ParsedBody, parseUploadBody } from './upload-body.js';

const SHAPE = { body: ['repo', 'metrics', 'reports', 'files'], file: ['filename', 'content'] };
const bytes = (value: unknown): Blocks => toBlocks(Buffer.from(JSON.stringify(value)));
const resultOf = (value: unknown): BodyParseResult =>
  parseUploadBody({ body: bytes(value), shape: SHAPE, fileBytes: 100 });

function readOf(value: unknown): ParsedBody {
  const result = resultOf(value);
  if ('rejected' in result) throw new Error(result.rejected.message);
  return result.parsed;
}

const rejection = (value: unknown): unknown => {
  const result = resultOf(value);
  return 'rejected' in result ? [result.rejected.code, result.rejected.message] : result;
};
const textOf = (content: Blocks | undefined): string => Buffer.concat(content ?? []).toString();
const members = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, at]));

describe('the body of an upload', () => {
  it('passes no nested values to the validation, which would take long to check them', () => {
    const { fields } = readOf({
      repo: { a: [[{}]] },
      other: [[1, 2]],
      metrics: { a: { b: 1 } },
      reports: { page: '<p>' },
      files: [{ filename: 'a', content: 'text', format: { a: 1 } }, 7, [1]],
    });
    expect(fields).toEqual({
      repo: {},
      other: [],
      metrics: {},
      reports: {},
      files: [{ filename: 'a', content: '', format: {} }, 7, []],
    });
  });

  it('preserves the type of every member, so a wrong one is rejected by its name', () => {
    const wrong = { repo: 7, metrics: 'none', reports: [1], files: { a: 1 } };
    expect(readOf(wrong).fields).toEqual({ repo: 7, metrics: 'none', reports: [], files: {} });
    expect(readOf({ files: [{ content: 5 }, { filename: 'a' }] }).fields).toEqual({
      files: [{ content: 5 }, { filename: 'a' }],
    });
  });

  it('contains its files, its documents and its metrics unchanged', () => {
    const { contents, reports, metrics } = readOf({
      metrics: { a: [1, { b: null }] },
      reports: { page: '<p>ä</p>', data: { a: [1] } },
      files: [{ content: 'ä' }, { content: 'b' }],
    });
    expect(metrics).toEqual({ a: [1, { b: null }] });
    expect(contents.map(textOf)).toEqual(['ä', 'b']);
    expect(reports.map(({ content, ...report }) => [report, textOf(content)])).toEqual([
      [{ name: 'page', format: 'html', sha256: sha256('<p>ä</p>'), isBlank: false }, '<p>ä</p>'],
      [{ name: 'data', format: 'json', sha256: sha256('{"a":[1]}'), isBlank: false }, '{"a":[1]}'],
    ]);
  });

  it('names the documents without a value', () => {
    const documents = {
      none: null,
      blank: ' \n',
      list: [[], {}],
      deep: { a: { b: '' } },
      no: false,
      zero: [0],
      text: 'a',
    };
    const { reports } = readOf({ reports: documents });
    expect(reports.filter(({ isBlank }) => isBlank).map(({ name }) => name)).toEqual(['none', 'blank', 'list', 'deep']);
  });

  it('is digested in the order of the shape, regardless of its own order', () => {
    const one = readOf({ repo: 'a', files: [{ content: 'x', filename: 'f' }], metrics: null });
    const other = readOf({ metrics: null, files: [{ filename: 'f', content: 'x' }], repo: 'a' });
    expect(one.digest).toBe(other.digest);
    expect(one.digest).toBe(sha256('{"repo":"a","metrics":null,"files":[{"filename":"f","content":"x"}]}'));
    expect(readOf({ repo: 'b' }).digest).not.toBe(readOf({ repo: 'a' }).digest);
  });

  it.each<[string, unknown, string, string]>([
    [
      'metrics of too many values',
      { metrics: { a: members(10_000) } },
      'too_large',
      'metrics have more than 10000 values; send documents as reports.',
    ],
    [
      'metrics of too many bytes',
      { metrics: { a: 'x'.repeat(262_144) } },
      'too_large',
      'metrics are larger than 262144 bytes; send documents as reports.',
    ],
    [
      'more than a million values',
      { reports: { a: Array.from({ length: 1_000_001 }, () => 1) } },
      'too_large',
      'The body has more than 1000000 values.',
    ],
    [
      '501 files',
      { files: Array.from({ length: 501 }, () => ({})) },
      'too_large',
      'The upload has more than 500 files and reports.',
    ],
    ['501 reports', { reports: members(501) }, 'too_large', 'The upload has more than 500 files and reports.'],
    [
      '251 files and 250 reports',
      { files: Array.from({ length: 251 }, () => ({})), reports: members(250) },
      'too_large',
      'The upload has more than 500 files and reports.',
    ],
    ['a file that is too large', { files: [{ content: 'ä'.repeat(51) }] }, 'too_large', 'files.0 is over 100 bytes.'],
    ['51 members', members(51), 'invalid', 'The body has more than 50 members.'],
    ['a file of 11 members', { files: [members(11)] }, 'invalid', 'files.0 has more than 10 members.'],
    [
      'a field that is longer than any may be',
      { repo: 'x'.repeat(4_097) },
      'invalid',
      'repo must be shorter than or equal to 4096 characters.',
    ],
    [
      'a report without a name',
      { reports: { '': 1 } },
      'invalid',
      'Each name in reports must have 1 to 255 characters, none of them a control character.',
    ],
    [
      'a report with a line break in its name',
      { reports: { 'a\nb': 1 } },
      'invalid',
      'Each name in reports must have 1 to 255 characters, none of them a control character.',
    ],
  ])('of %s is rejected', (_name, body, code, message) => {
    expect(rejection(body)).toEqual([code, message]);
  });

  it.each<[string, unknown]>([
    ['10,000 values in metrics', { metrics: members(10_000) }],
    ['500 files', { files: Array.from({ length: 500 }, () => ({})) }],
    ['50 members', members(50)],
  ])('of %s is accepted', (_name, body) => {
    expect(resultOf(body)).toHaveProperty('parsed');
  });

  it('that is no object is passed to the validation', () => {
    expect([[], [1], 'text', 7, null].map((body) => readOf(body).fields)).toEqual([[], [], 'text', 7, null]);
    const none = parseUploadBody({ body: [], shape: SHAPE, fileBytes: 1 });
    expect(none).toMatchObject({ parsed: { fields: undefined } });
  });
});

describe('the parts of a form', () => {
  it('are read as the members of a body are', () => {
    const result = parseUploadBody({ metrics: bytes({ a: 1 }), reports: bytes({ page: '<p>' }) });
    expect(result).toMatchObject({
      parsed: { fields: { metrics: {}, reports: {} }, metrics: { a: 1 }, reports: [{ name: 'page', format: 'html' }] },
    });
    expect(parseUploadBody({ metrics: null, reports: null })).toMatchObject({ parsed: { fields: {}, reports: [] } });
  });

  it('are rejected by their names', () => {
    const broken = toBlocks(Buffer.from('{'));
    expect(parseUploadBody({ metrics: broken, reports: null })).toEqual({
      rejected: { code: 'invalid', message: 'metrics is not valid JSON at line 1, column 2.' },
    });
  });
});
