import { describe, expect, it } from '@jest/globals';
import {
  AUTHOR,
  DEVELOPMENT_HEAD,
  EVIDENCE_FILES,
  NOW,
  PULL_HEAD,
  commit,
  evidencePull,
  pull,
  sameButForEvidence,
  sha,
} from '../../../test/support/given-facts.js';
import type { ComparisonFact, PullFact } from '../facts/facts.js';
import { TrackedFacts } from '../facts/tracked-facts.js';
import { checkPullContent } from './evidence-pull.js';

const MERGED_HEAD = sha('4');
const [page, list] = EVIDENCE_FILES as [(typeof EVIDENCE_FILES)[number], (typeof EVIDENCE_FILES)[number]];
const written = commit(PULL_HEAD, [sha('8')], null);
const baseMerge = commit(MERGED_HEAD, [PULL_HEAD, DEVELOPMENT_HEAD], AUTHOR.userId);

/** Returns the status of a branch into which the base was merged, compared with an earlier base. */
const statusOf = (
  changes: Partial<ComparisonFact>,
  changedPull: Partial<PullFact> = {},
  base = DEVELOPMENT_HEAD,
  baseHead: string | null = DEVELOPMENT_HEAD,
): string => {
  const value = sameButForEvidence(base, { commits: [written, baseMerge], ...changes });
  const key = `${base}...${MERGED_HEAD}`;
  const facts = new TrackedFacts([{ kind: 'comparison', key, value, observedAt: NOW }]);
  return checkPullContent(pull({ headSha: MERGED_HEAD, ...changedPull }), evidencePull(), baseHead, facts).status;
};

describe('the files of an evidence pull request', () => {
  it.each<[string, ComparisonFact['files'], string]>([
    ['both files as they were written', [page, list], 'intact'],
    ['a changed file', [page, { ...list, blobSha: sha('5') }], 'altered'],
    ['another changed file', [{ ...page, blobSha: sha('5') }, list], 'altered'],
    ['a moved file', [page, { ...list, path: 'elsewhere.json' }], 'altered'],
    ['a missing file', [page], 'altered'],
    ['an additional file', [page, list, { path: 'src/pay.ts', blobSha: sha('3') }], 'altered'],
  ])('checks an evidence pull request with %s', (_name, files, status) => {
    expect(statusOf({ files })).toBe(status);
  });

  it('compares the files with the current base, and after the merge with the base of the merge', () => {
    const merged = { state: 'merged', baseSha: sha('6') } as const;
    expect(statusOf({}, { baseSha: sha('6') })).toBe('intact');
    expect(statusOf({}, merged)).toBe('unknown');
    expect(statusOf({}, merged, sha('6'))).toBe('intact');
    expect(statusOf({}, { baseSha: sha('6') }, sha('6'))).toBe('unknown');
    expect(statusOf({}, {}, DEVELOPMENT_HEAD, null)).toBe('unknown');
  });

  it('reports the pull request as altered if merges join more than the base', () => {
    const second = commit(sha('7'), [PULL_HEAD, DEVELOPMENT_HEAD]);
    const joined = commit(MERGED_HEAD, [PULL_HEAD, second.sha]);
    expect(statusOf({ commits: [written, second, joined] })).toBe('altered');
    expect(statusOf({ commits: [written, commit(MERGED_HEAD, [sha('5'), sha('6')])] })).toBe('altered');
  });
});
