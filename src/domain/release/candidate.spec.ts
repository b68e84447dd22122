import { describe, expect, it } from '@jest/globals';
import {
  CANDIDATE,
  DEVELOPMENT_HEAD,
  PLAIN_POLICY,
  RELEASE_BRANCH,
  VERSION,
  commit,
  comparison,
  piece,
  policyWith,
  sameButForEvidence,
  sha,
} from '../../../test/support/given-facts.js';
import { ReleaseBuilder } from '../../../test/support/given-release.js';
import type { EvidenceItem } from '../evidence/evidence.js';
import { TrackedFacts } from '../facts/tracked-facts.js';
import type { Policy } from '../policy/policy.js';
import { findCandidate, type CandidateSearch } from './candidate.js';

const main = { branch: 'main', sha: DEVELOPMENT_HEAD };
const [A, B] = [sha('a'), sha('b')];

const search = (
  world: ReleaseBuilder,
  evidence: readonly EvidenceItem[] = [],
  policy: Policy = PLAIN_POLICY,
): CandidateSearch => findCandidate(VERSION, policy, 'main', evidence, new TrackedFacts(world.observations()));
const of = (...commits: readonly string[]): readonly EvidenceItem[] => commits.map((commitSha) => piece({ commitSha }));
const unmet = ({ unmet: conditions }: CandidateSearch): readonly string[] => conditions.map(({ code }) => code);

describe('the candidate of a release with a branch', () => {
  const world = (branch = RELEASE_BRANCH): ReleaseBuilder =>
    new ReleaseBuilder().branches(main, { branch, sha: CANDIDATE });

  it('is the head of the branch, before any evidence and with evidence of it', () => {
    for (const evidence of [[], of(CANDIDATE)]) {
      expect(search(world(), evidence)).toEqual({
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
  ])('takes "%s" for its branch: %s (hotfix: %s)', (branch, own, hotfix) => {
    const found = search(world(branch));
    expect([found.releaseBranch, found.hotfix]).toEqual([own ? branch : null, hotfix]);
  });

  it('looks where the policy says', () => {
    const policy = policyWith({
      testing: { ...PLAIN_POLICY.testing, branchPattern: 'ship-*/*' },
      hotfixBranchPattern: 'mend/*',
    });
    const facts = new ReleaseBuilder()
      .branches(main)
      .know('refs', '', [{ branch: `ship-it/${VERSION}`, sha: A }])
      .know('refs', 'mend/', []);
    expect(search(facts, [], policy)).toMatchObject({ releaseBranch: `ship-it/${VERSION}`, candidate: { sha: A } });
  });

  it('is unknown while the branches, or the history behind other evidence, were not read', () => {
    expect(unmet(search(world().forget('refs', 'hotfix/')))).toEqual(['unknown']);
    expect(unmet(search(world().forget('refs', 'release/')))).toEqual(['unknown']);
    expect(unmet(search(world(), of(A)))).toEqual(['unknown']);
  });

  it('is the same as earlier commits that differ from it in the evidence alone', () => {
    const facts = world()
      .know('history', CANDIDATE, [commit(CANDIDATE, [B]), commit(B, [A]), commit(A, [])])
      .know('comparison', `${B}...${CANDIDATE}`, sameButForEvidence(B))
      .know('comparison', `${A}...${CANDIDATE}`, comparison(A));
    expect(search(facts, of(A, B)).candidate).toEqual({ sha: B, shas: [B, CANDIDATE] });
    expect(search(facts, of(B, CANDIDATE, sha('8'))).candidate).toEqual({ sha: B, shas: [B, CANDIDATE] });
    const unread = search(facts.forget('comparison', `${A}...${CANDIDATE}`), of(A, B));
    expect([unread.candidate, unmet(unread)]).toEqual([null, ['unknown']]);
  });

  it('goes back no further than the first commit that differs', () => {
    const facts = world()
      .know('history', CANDIDATE, [commit(CANDIDATE, [B]), commit(B, [A]), commit(A, [])])
      .know('comparison', `${B}...${CANDIDATE}`, comparison(B))
      .know('comparison', `${A}...${CANDIDATE}`, sameButForEvidence(A));
    expect(search(facts, of(A, B)).candidate).toEqual({ sha: CANDIDATE, shas: [CANDIDATE] });
  });

  it('is none where there are two branches', () => {
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
  const world = (): ReleaseBuilder =>
    new ReleaseBuilder()
      .branches(main)
      .know('history', DEVELOPMENT_HEAD, [commit(DEVELOPMENT_HEAD, [B]), commit(B, [A]), commit(A, [])])
      .know('comparison', `${A}...${B}`, comparison(A));

  it('is the newest commit of the development branch that has evidence', () => {
    expect(search(world(), of(A)).candidate).toEqual({ sha: A, shas: [A] });
    expect(search(world(), of(B, A)).candidate).toEqual({ sha: B, shas: [B] });
    expect(search(world(), of(A))).toMatchObject({ releaseBranch: null, branch: 'main', hotfix: false });
  });

  it.each<[string, ReleaseBuilder, readonly EvidenceItem[], string]>([
    ['nothing was uploaded', world(), [], 'no_candidate'],
    ['only other branches have evidence', world(), of(sha('8')), 'no_candidate'],
    ['the history was not read', world().forget('history', DEVELOPMENT_HEAD), of(A), 'unknown'],
    ['the development branch was not read', world().forget('refs', 'main'), of(A), 'unknown'],
    [
      'the development branch is gone',
      world().know('refs', 'main', [{ branch: 'main-2', sha: A }]),
      of(A),
      'no_development_branch',
    ],
  ])('is none where %s', (_name, facts, evidence, code) => {
    const found = search(facts, evidence);
    expect([found.candidate, unmet(found)]).toEqual([null, [code]]);
  });
});
