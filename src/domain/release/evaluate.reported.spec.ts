import { describe, expect, it } from '@jest/globals';
import { CANDIDATE, redPiece } from '../../../test/support/given-facts.js';
import { givenOpenRelease, type GivenRelease } from '../../../test/support/given-release.js';

/** What the gate's answer says beside yes and no has to be true as well. */
describe('what a verdict reports of the tests and the approval', () => {
  it('is both where the gate is open', () => {
    expect(givenOpenRelease().verdict()).toMatchObject({ testsPassing: true, evidenceApproved: true });
  });

  it.each<[string, (release: GivenRelease) => GivenRelease]>([
    ['red evidence', (release) => release.uploaded(redPiece())],
    ['required checks that nobody reported', (release) => release.know('checks', CANDIDATE, [])],
    ['checks that were never read', (release) => release.forget('checks', CANDIDATE)],
  ])('is no passing test with %s', (_what, change) => {
    expect(change(givenOpenRelease()).verdict()).toMatchObject({ testsPassing: false });
  });

  it('is the approval also while the release waits for an issue', () => {
    const { record } = givenOpenRelease();
    const release = givenOpenRelease().know('issues', String(record.milestoneNumber), [
      { number: 1, title: 'late', state: 'open', assignees: ['somebody'], labels: [], url: 'https://host/issues/1' },
    ]);
    expect(release.verdict()).toMatchObject({ stage: 'DEVELOPMENT', evidenceApproved: true });
    expect(release.isOpen()).toBe(false);
  });
});
