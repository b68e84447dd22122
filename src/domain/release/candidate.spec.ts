import { describe, expect, it } from '@jest/globals';
import {
  CANDIDATE,
  DEVELOPMENT_HEAD,
  PLAIN_POLICY,
  RELEASE_BRANCH,
  VERSION,
  commit,
  comparison,
  evidenceItem,
  policyWith,
  sameButForEvidence,
  sha,
} from '../../../test/support/given-facts.js';
import { ReleaseBuilder } from '../../../test/support/release-builder.js';
import type { EvidenceItem } from '../evidence/evidence.js';
import { TrackedFacts } from '../facts/tracked-facts.js';
import type { Policy } from '../policy/policy.js';
import { findCandidate, type CandidateSearch } from './candidate.js';

const main = { branch: 'main', sha: DEVELOPMENT_HEAD };
const [A, B] = [sha('a'), sha('b')];

const search = (
  release: ReleaseBuilder,
  evidence: readonly EvidenceItem[] = [],
  policy: Policy = PLAIN_POLICY,
): CandidateSearch => findCandidate(VERSION, policy, 'main', evidence, new TrackedFacts(release.observations()));
const of = (...commits: readonly string[]): readonly EvidenceItem[] =>
  commits.map((commitSha) => evidenceItem({ commitSha }));
const unmet = ({ unmet: conditions }: CandidateSearch): readonly string[] => conditions.map(({ code }) => code);

describe('the candidate of a release with a branch', () => {
  const release = (branch = RELEASE_BRANCH): ReleaseBuilder =>
    new ReleaseBuilder().branches(main, { branch, sha: CANDIDATE });

  it('is the head of the branch, with or without evidence of it', () => {
    for (const evidence of [[], of(CANDIDATE)]) {
      expect(search(release(), evidence)).toEqual({
        candidate: { sha: CANDIDATE, shas: [CANDIDATE] },
        releaseBranch: RELEASE_BRANCH,
        hotfix: false,
        branch: RELEASE_BRANCH,
        branchHead: CANDIDATE,
        developmentBranch: 'main',
        developmentHead: DEVELOPMENT_HEAD,
        unmet: [],
      });
    }
  });

  it.each([
    [`release/${VERSION}`, true, false],
    [`release/2026/${VERSION}`, true, false],
    [`hotfix/${VERSION}`, true, true],
    [`release/${VERSION}.1`, false, false],
    [`release/${VERSION}-rc.1`, false, false],
    [`release/x${VERSION}`, false, false],
    [`release/${VERSION}/fix`, false, false],
  ])('accepts "%s" as the branch of the release: %s (hotfix: %s)', (branch, own, hotfix) => {
    const found = search(release(branch));
    expect([found.releaseBranch, found.hotfix]).toEqual([own ? branch : null, hotfix]);
  });

  it('is found with the branch patterns of the policy', () => {
    const policy = policyWith({
      testing: { ...PLAIN_POLICY.testing, branchPattern: 'ship-*/*' },
      hotfixBranchPatterns: ['mend/*'],
    });
    const facts = new ReleaseBuilder()
      .branches(main)
      .know('refs', '', [{ branch: `ship-it/${VERSION}`, sha: A }])
      .know('refs', 'mend/', []);
    expect(search(facts, [], policy)).toMatchObject({ releaseBranch: `ship-it/${VERSION}`, candidate: { sha: A } });
  });

  it('is unknown while the branches, or the history of other evidence, were not read', () => {
    expect(unmet(search(release().deleteFact('refs', 'hotfix/')))).toEqual(['unknown']);
    expect(unmet(search(release().deleteFact('refs', 'release/')))).toEqual(['unknown']);
    expect(unmet(search(release(), of(A)))).toEqual(['unknown']);
  });

  it('is the oldest commit with evidence that differs from the head only in the evidence folder', () => {
    const facts = release()
      .know('history', CANDIDATE, [commit(CANDIDATE, [B]), commit(B, [A]), commit(A, [])])
      .know('comparison', `${B}...${CANDIDATE}`, sameButForEvidence(B))
      .know('comparison', `${A}...${CANDIDATE}`, comparison(A));
    expect(search(facts, of(A, B)).candidate).toEqual({ sha: B, shas: [B, CANDIDATE] });
    expect(search(facts, of(B, CANDIDATE, sha('8'))).candidate).toEqual({ sha: B, shas: [B, CANDIDATE] });
    const unread = search(facts.deleteFact('comparison', `${A}...${CANDIDATE}`), of(A, B));
    expect([unread.candidate, unmet(unread)]).toEqual([null, ['unknown']]);
  });

  it('is not older than the first commit with other differences', () => {
    const facts = release()
      .know('history', CANDIDATE, [commit(CANDIDATE, [B]), commit(B, [A]), commit(A, [])])
      .know('comparison', `${B}...${CANDIDATE}`, comparison(B))
      .know('comparison', `${A}...${CANDIDATE}`, sameButForEvidence(A));
    expect(search(facts, of(A, B)).candidate).toEqual({ sha: CANDIDATE, shas: [CANDIDATE] });
  });

  it('is null when there are two branches', () => {
    const facts = new ReleaseBuilder().branches(
      main,
      { branch: RELEASE_BRANCH, sha: CANDIDATE },
      { branch: `hotfix/${VERSION}`, sha: A },
    );
    const found = search(facts);
    expect([found.candidate, found.unmet[0]?.detail]).toEqual([
      null,
      `The release has more than one branch: ${RELEASE_BRANCH}, hotfix/${VERSION}. Delete all but one.`,
    ]);
  });
});

describe('the candidate of a release without a branch', () => {
  const release = (): ReleaseBuilder =>
    new ReleaseBuilder()
      .branches(main)
      .know('history', DEVELOPMENT_HEAD, [commit(DEVELOPMENT_HEAD, [B]), commit(B, [A]), commit(A, [])])
      .know('comparison', `${A}...${B}`, comparison(A));

  it('is the newest commit of the development branch with evidence', () => {
    expect(search(release(), of(A)).candidate).toEqual({ sha: A, shas: [A] });
    expect(search(release(), of(B, A)).candidate).toEqual({ sha: B, shas: [B] });
    expect(search(release(), of(A))).toMatchObject({ releaseBranch: null, branch: 'main', hotfix: false });
  });

  it.each<[string, ReleaseBuilder, readonly EvidenceItem[], string]>([
    ['nothing was uploaded', release(), [], 'no_candidate'],
    ['only other branches have evidence', release(), of(sha('8')), 'no_candidate'],
    ['the history was not read', release().deleteFact('history', DEVELOPMENT_HEAD), of(A), 'unknown'],
    ['the development branch was not read', release().deleteFact('refs', 'main'), of(A), 'unknown'],
    [
      'the development branch is gone',
      release().know('refs', 'main', [{ branch: 'main-2', sha: A }]),
      of(A),
      'no_development_branch',
    ],
  ])('is null when %s', (_name, facts, evidence, code) => {
    const found = search(facts, evidence);
    expect([found.candidate, unmet(found)]).toEqual([null, [code]]);
  });
});
