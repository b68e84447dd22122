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
import { givenOpenRelease, type ReleaseBuilder } from '../../../test/support/given-release.js';

const number = String(PULL_NUMBER);
const FORMER_HEAD = sha('4');

const answer = (world: ReleaseBuilder): object => {
  const { approved, unmet } = world.verdict().approval ?? { approved: true, unmet: [] };
  return { approved, codes: unmet.map(({ code }) => code), open: world.isOpen() };
};

/** Two people approved the commit that the branch points to. */
const approvedAt = (world: ReleaseBuilder, headSha: string): ReleaseBuilder =>
  world
    .know('pull', number, pull({ headSha }))
    .know('reviews', number, [
      review(FIRST_REVIEWER, { commitSha: headSha }),
      review(SECOND_REVIEWER, { commitSha: headSha }),
    ]);

describe('an evidence pull request that was rewritten', () => {
  it('is not approved while it is being rewritten, whatever its branch points to', () => {
    const beingRewritten = (): ReleaseBuilder => givenOpenRelease().pullOpened({ setDigest: '' });
    const outdated = { approved: false, codes: ['evidence_pull_outdated'], open: false };
    expect(answer(givenOpenRelease())).toEqual({ approved: true, codes: [], open: true });
    expect(answer(beingRewritten())).toEqual(outdated);
    expect(answer(approvedAt(beingRewritten(), FORMER_HEAD))).toEqual(outdated);
  });

  it('is void where somebody puts a former commit of the service back, which people approved', () => {
    const world = approvedAt(givenOpenRelease(), FORMER_HEAD).know(
      'comparison',
      `${DEVELOPMENT_HEAD}...${FORMER_HEAD}`,
      sameButForEvidence(DEVELOPMENT_HEAD, { commits: [commit(FORMER_HEAD, [DEVELOPMENT_HEAD])] }),
    );
    expect(answer(world)).toEqual({ approved: false, codes: ['evidence_pull_altered'], open: false });
  });
});
