import { describe, expect, it } from '@jest/globals';
import { toBlocks } from '../../../http/body/byte-blocks.js';
import { parseFiles } from './report-parsing.js';

const file = (filename: string, text: string): Parameters<typeof parseFiles>[0]['files'][number] => ({
  filename,
  content: toBlocks(new TextEncoder().encode(text)),
});
const GREEN = file('good.xml', '<testsuite><testcase name="a"/></testsuite>');

describe('a file that rejects the whole upload', () => {
  it.each([
    ['reports/notes.txt', '"!reports/notes.txt"'],
    ['e2e/[chromium] a(1).xml', '"!e2e/?chromium? a?1?.xml"'],
  ])('is named with the pattern that leaves it out: %s', (filename, pattern) => {
    expect(parseFiles({ files: [GREEN, file(filename, 'hello')], kind: undefined })).toEqual({
      rejected: expect.stringMatching(
        /^[^"]*:1:1: not a report of a known format \([^"]*\)\. Nothing of the upload was stored\. /,
      ),
    });
    expect(parseFiles({ files: [GREEN, file(filename, '')], kind: undefined })).toEqual({
      rejected: expect.stringContaining(`the pattern ${pattern} of shipgate upload excludes it.`),
    });
  });
});
