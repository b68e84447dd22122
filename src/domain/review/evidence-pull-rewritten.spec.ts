import { describe, expect, it } from '@jest/globals';
import {
  DEVELOPMENT_HEAD,
  FIRST_REVIEWER,
  PULL_NUMBER,
  SECOND_REVIEWER,
  commit,
  pull,
  review,
  sameButForEvidence,
  sha,
} from '../../../test/support/given-facts.js';
import { givenOpenRelease, type ReleaseBuilder } from '../../../test/support/release-builder.js';

const number = String(PULL_NUMBER);
const FORMER_HEAD = sha('4');

const answer = (release: ReleaseBuilder): object => {
  const { approved, unmet } = release.verdict().approval ?? { approved: true, unmet: [] };
  return { approved, codes: unmet.map(({ code }) => code), open: release.isOpen() };
};

/** Adds the approvals of two users for the head of the branch. */
const approvedAt = (release: ReleaseBuilder, headSha: string): ReleaseBuilder =>
  release
    .know('pull', number, pull({ headSha }))
    .know('reviews', number, [
      review(FIRST_REVIEWER, { commitSha: headSha }),
      review(SECOND_REVIEWER, { commitSha: headSha }),
    ]);

describe('an evidence pull request that is rewritten', () => {
  it('is not approved during the rewrite, with any head of its branch', () => {
    const beingRewritten = (): ReleaseBuilder => givenOpenRelease().pullOpened({ setDigest: '' });
    const outdated = { approved: false, codes: ['evidence_pull_outdated'], open: false };
    expect(answer(givenOpenRelease())).toEqual({ approved: true, codes: [], open: true });
    expect(answer(beingRewritten())).toEqual(outdated);
    expect(answer(approvedAt(beingRewritten(), FORMER_HEAD))).toEqual(outdated);
  });

  it('is void when its branch is reset to a former, approved commit of the service', () => {
    const release = approvedAt(givenOpenRelease(), FORMER_HEAD).know(
      'comparison',
      `${DEVELOPMENT_HEAD}...${FORMER_HEAD}`,
      sameButForEvidence(DEVELOPMENT_HEAD, { commits: [commit(FORMER_HEAD, [DEVELOPMENT_HEAD])] }),
    );
    expect(answer(release)).toEqual({ approved: false, codes: ['evidence_pull_altered'], open: false });
  });
});
