import { describe, expect, it } from '@jest/globals';
import { EVIDENCE_FILES, commit, comparison, sameButForEvidence, sha } from '../../../test/support/given-facts.js';
import { differsOnlyInEvidence, newestByAncestry } from './commit-ancestry.js';
import type { ComparisonFact } from './facts.js';

const BASE = sha('a');

describe('differsOnlyInEvidence', () => {
  it.each<[string, Partial<ComparisonFact>, boolean]>([
    ['is the same commit', { status: 'identical', files: [] }, true],
    ['adds evidence only', {}, true],
    ['changes nothing', { files: [] }, true],
    [
      'changes a file beside the evidence',
      { files: [...EVIDENCE_FILES, { path: 'src/pay.ts', blobSha: sha('3') }] },
      false,
    ],
    [
      'removes a file, as a rename into the evidence folder does',
      { files: [...EVIDENCE_FILES, { path: 'src/pay.ts', blobSha: null }] },
      false,
    ],
    [
      'writes to a folder whose name only starts the same',
      { files: [{ path: '.releases-old/x', blobSha: null }] },
      false,
    ],
    ['writes to a folder of that name elsewhere', { files: [{ path: 'src/.releases/x', blobSha: null }] }, false],
    ['has more files than were listed', { filesComplete: false }, false],
    ['does not descend from it', { status: 'diverged', mergeBaseSha: sha('0') }, false],
    ['is its ancestor', { status: 'behind' }, false],
    ['is compared from another base', { mergeBaseSha: sha('0') }, false],
  ])('returns the expected result for a commit that %s', (_name, changes, same) => {
    expect(differsOnlyInEvidence(sameButForEvidence(BASE, changes), BASE)).toBe(same);
  });

  it('returns false for an ordinary commit', () => {
    expect(differsOnlyInEvidence(comparison(BASE), BASE)).toBe(false);
  });
});

describe('newestByAncestry', () => {
  const line = (text: string): readonly ReturnType<typeof commit>[] =>
    text.split(' ').map((entry) => {
      const [of = '', parents = ''] = entry.split('<');
      return commit(of, parents.split(''));
    });

  it.each<[string, string, string, string, string]>([
    ['a line of commits', 'c<b b<a a<', 'c', 'abc', 'cba'],
    ['a line that GitHub lists in the wrong order', 'a< c<b b<a', 'c', 'abc', 'cba'],
    ['only the requested commits', 'c<b b<a a<', 'c', 'ab', 'ba'],
    ['only commits that are ancestors of the head', 'c<b b<a a< x<c', 'c', 'abx', 'ba'],
    ['first parents before the others', 'm<af a<o f<o o<', 'm', 'afo', 'afo'],
    ['a descendant before its ancestor, along any parent', 'm<af f<a a<', 'm', 'af', 'fa'],
    ['a diamond once', 'm<ab a<o b<o o<', 'm', 'mabo', 'mabo'],
    ['the history as far as it was read', 'c<b', 'c', 'abc', 'c'],
    ['nothing without the head', 'b<a a<', 'c', 'ab', ''],
  ])('orders %s', (_name, history, head, requested, expected) => {
    expect(newestByAncestry(line(history), head, new Set(requested)).join('')).toBe(expected);
  });
});
