import { describe, expect, it } from '@jest/globals';
import { gitBlobSha } from './digests.js';

describe('gitBlobSha', () => {
  it.each([
    ['hello', 'b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0'],
    ['Évidence\n', 'b896835f9f38665296835d7bac03e33f50d68715'],
    ['', 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'],
  ])('returns the result of git hash-object for %j', (content, sha) => {
    expect(gitBlobSha(content)).toBe(sha);
  });
});
