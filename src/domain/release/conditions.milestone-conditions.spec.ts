import { describe, expect, it } from '@jest/globals';
import { milestone, redPiece, releaseRecord } from '../../../test/support/given-facts.js';
import { givenOpenRelease, ReleaseBuilder } from '../../../test/support/given-release.js';
import type { MilestoneFact } from '../facts/facts.js';
import { milestoneConditions } from './conditions.js';

const stageOf = (world: ReleaseBuilder): string => world.verdict().stage;

describe('the milestone', () => {
  const closed = milestone({ state: 'closed' });

  it.each([
    ['DEPLOYMENT', null, false],
    ['EVIDENCING', null, true],
    ['DEPLOYMENT', new Date(0), true],
  ] as const)(
    'closed, with the release last seen in %s (cancelled: %s), cancels it: %s',
    (stage, cancelledAt, cancelled) => {
      const world = givenOpenRelease().recorded({ stage, cancelledAt }).know('milestone', '5', closed);
      expect([world.verdict().cancelled, world.isOpen()]).toEqual([cancelled, !cancelled]);
      expect(world.verdict().warnings.map(({ code }) => code)).toEqual(cancelled ? [] : ['milestone_closed']);
    },
  );

  it('closed, cancels a release that fell back, and opened again restores it', () => {
    const world = givenOpenRelease().know('milestone', '5', closed).uploaded(redPiece());
    expect([world.verdict().cancelled, world.reasons()]).toEqual([true, ['evidence_failing', 'cancelled']]);
    const restored = givenOpenRelease().recorded({ cancelledAt: new Date(0), stage: 'TESTING' });
    expect([restored.verdict().cancelled, restored.isOpen()]).toEqual([false, true]);
    restored.forget('milestone', '5');
    expect([restored.verdict().cancelled, restored.isOpen()]).toEqual([true, false]);
  });

  it.each([
    ['deleted', null],
    ['made again under its name', milestone({ githubId: 502 })],
  ])('%s, ends the release for good', (_name, fact) => {
    const world = givenOpenRelease().know('milestone', '5', fact);
    expect(world.verdict()).toMatchObject({ cancelled: true, deleted: true });
    expect(world.reasons()).toEqual(['cancelled']);
  });

  it('renamed, blocks until it has its name again', () => {
    const world = givenOpenRelease().know('milestone', '5', milestone({ title: 'v1.2.1' }));
    expect([world.verdict().cancelled, world.reasons(), stageOf(world)]).toEqual([
      false,
      ['milestone_renamed'],
      'DEPLOYMENT',
    ]);
    expect(world.know('milestone', '5', milestone({ title: 'v1.2.1', state: 'closed' })).reasons()).toEqual([
      'milestone_renamed',
    ]);
  });

  const standing = (fact: MilestoneFact | null | undefined, cancelledAt: Date | null = null) => {
    const { blocking, warnings, ...rest } = milestoneConditions(releaseRecord({ cancelledAt }), 'DEPLOYMENT', fact);
    const told = [...blocking, ...warnings].map(({ code, actor }) => `${code}: ${actor}`);
    return { ...rest, blocking: blocking.length, warnings: warnings.length, told };
  };
  const kept = { cancelled: false, deleted: false, blocking: 0, warnings: 0, told: [] };

  it.each<[string, ReturnType<typeof standing>, ReturnType<typeof standing>]>([
    ['open', standing(milestone()), kept],
    ['never read', standing(undefined), { ...kept, blocking: 1, told: ['unknown: service'] }],
    [
      'never read since it was closed',
      standing(undefined, new Date(0)),
      { ...kept, cancelled: true, blocking: 1, told: ['unknown: service'] },
    ],
    ['closed', standing(closed), { ...kept, warnings: 1, told: ['milestone_closed: team'] }],
    [
      'closed before',
      standing(closed, new Date(0)),
      { ...kept, cancelled: true, blocking: 1, told: ['cancelled: team'] },
    ],
    ['renamed', standing(milestone({ title: 'v1.2.1' })), { ...kept, blocking: 1, told: ['milestone_renamed: team'] }],
    ['gone', standing(null), { ...kept, cancelled: true, deleted: true, blocking: 1, told: ['cancelled: team'] }],
  ])('%s, is gone for good only where the host no longer has it', (_name, actual, expected) => {
    expect(actual).toEqual(expected);
  });
});
