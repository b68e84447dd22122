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

/** What is made of a branch into which somebody merged the base, compared with where the base stood. */
const statusOf = (
  changes: Partial<ComparisonFact>,
  asked: Partial<PullFact> = {},
  base = DEVELOPMENT_HEAD,
  baseHead: string | null = DEVELOPMENT_HEAD,
): string => {
  const value = sameButForEvidence(base, { commits: [written, baseMerge], ...changes });
  const key = `${base}...${MERGED_HEAD}`;
  const facts = new TrackedFacts([{ kind: 'comparison', key, value, observedAt: NOW }]);
  return checkPullContent(pull({ headSha: MERGED_HEAD, ...asked }), evidencePull(), baseHead, facts).status;
};

describe('the files of an evidence pull request', () => {
  it.each<[string, ComparisonFact['files'], string]>([
    ['both as they were written', [page, list], 'intact'],
    ['one of them rewritten', [page, { ...list, blobSha: sha('5') }], 'altered'],
    ['the other rewritten', [{ ...page, blobSha: sha('5') }, list], 'altered'],
    ['one of them moved', [page, { ...list, path: 'elsewhere.json' }], 'altered'],
    ['one of them gone', [page], 'altered'],
    ['a third beside them', [page, list, { path: 'src/pay.ts', blobSha: sha('3') }], 'altered'],
  ])('with %s', (_name, files, status) => {
    expect(statusOf({ files })).toBe(status);
  });

  it('are compared with the base as it stands, and after the merge with the base as it was', () => {
    const merged = { state: 'merged', baseSha: sha('6') } as const;
    expect(statusOf({}, { baseSha: sha('6') })).toBe('intact');
    expect(statusOf({}, merged)).toBe('unknown');
    expect(statusOf({}, merged, sha('6'))).toBe('intact');
    expect(statusOf({}, { baseSha: sha('6') }, sha('6'))).toBe('unknown');
    expect(statusOf({}, {}, DEVELOPMENT_HEAD, null)).toBe('unknown');
  });

  it('do not speak for a branch whose merges join more than the base', () => {
    const second = commit(sha('7'), [PULL_HEAD, DEVELOPMENT_HEAD]);
    const joined = commit(MERGED_HEAD, [PULL_HEAD, second.sha]);
    expect(statusOf({ commits: [written, second, joined] })).toBe('altered');
    expect(statusOf({ commits: [written, commit(MERGED_HEAD, [sha('5'), sha('6')])] })).toBe('altered');
  });
});
