import { describe, expect, it } from '@jest/globals';
import { milestone, failingItem, releaseRecord } from '../../../test/support/given-facts.js';
import { givenOpenRelease, ReleaseBuilder } from '../../../test/support/release-builder.js';
import type { MilestoneFact } from '../facts/facts.js';
import { milestoneConditions } from './conditions.js';

const stageOf = (release: ReleaseBuilder): string => release.verdict().stage;

describe('the milestone', () => {
  const closed = milestone({ state: 'closed' });

  it.each([
    ['DEPLOYMENT', null, false],
    ['EVIDENCING', null, true],
    ['DEPLOYMENT', new Date(0), true],
  ] as const)(
    'returns for a closed milestone and the stage %s (cancelled: %s) whether the release is cancelled: %s',
    (stage, cancelledAt, cancelled) => {
      const release = givenOpenRelease().recorded({ stage, cancelledAt }).know('milestone', '5', closed);
      expect([release.verdict().cancelled, release.isOpen()]).toEqual([cancelled, !cancelled]);
      expect(release.verdict().warnings.map(({ code }) => code)).toEqual(cancelled ? [] : ['milestone_closed']);
    },
  );

  it('cancels a release that moved back when the milestone is closed, and restores it when the milestone is opened again', () => {
    const release = givenOpenRelease().know('milestone', '5', closed).uploaded(failingItem());
    expect([release.verdict().cancelled, release.reasons()]).toEqual([true, ['evidence_failing', 'cancelled']]);
    const restored = givenOpenRelease().recorded({ cancelledAt: new Date(0), stage: 'TESTING' });
    expect([restored.verdict().cancelled, restored.isOpen()]).toEqual([false, true]);
    restored.deleteFact('milestone', '5');
    expect([restored.verdict().cancelled, restored.isOpen()]).toEqual([true, false]);
  });

  it.each([
    ['deleted', null],
    ['created again with the same title', milestone({ githubId: 502 })],
  ])('cancels the release as deleted when the milestone is %s', (_name, fact) => {
    const release = givenOpenRelease().know('milestone', '5', fact);
    expect(release.verdict()).toMatchObject({ cancelled: true, deleted: true });
    expect(release.reasons()).toEqual(['cancelled']);
  });

  it('blocks the release when it is renamed, until it has its name again', () => {
    const release = givenOpenRelease().know('milestone', '5', milestone({ title: 'v1.2.1' }));
    expect([release.verdict().cancelled, release.reasons(), stageOf(release)]).toEqual([
      false,
      ['milestone_renamed'],
      'DEPLOYMENT',
    ]);
    expect(release.know('milestone', '5', milestone({ title: 'v1.2.1', state: 'closed' })).reasons()).toEqual([
      'milestone_renamed',
    ]);
  });

  const resultOf = (fact: MilestoneFact | null | undefined, cancelledAt: Date | null = null) => {
    const { reasons, warnings, ...rest } = milestoneConditions(releaseRecord({ cancelledAt }), 'DEPLOYMENT', fact);
    const reported = [...reasons, ...warnings].map(({ code, actor }) => `${code}: ${actor}`);
    return { ...rest, reasons: reasons.length, warnings: warnings.length, reported };
  };
  const noEffect = { cancelled: false, deleted: false, reasons: 0, warnings: 0, reported: [] };

  it.each<[string, ReturnType<typeof resultOf>, ReturnType<typeof resultOf>]>([
    ['open', resultOf(milestone()), noEffect],
    ['not read yet', resultOf(undefined), { ...noEffect, reasons: 1, reported: ['unknown: service'] }],
    [
      'not read since it was closed',
      resultOf(undefined, new Date(0)),
      { ...noEffect, cancelled: true, reasons: 1, reported: ['unknown: service'] },
    ],
    ['closed', resultOf(closed), { ...noEffect, warnings: 1, reported: ['milestone_closed: team'] }],
    [
      'closed before',
      resultOf(closed, new Date(0)),
      { ...noEffect, cancelled: true, reasons: 1, reported: ['cancelled: team'] },
    ],
    [
      'renamed',
      resultOf(milestone({ title: 'v1.2.1' })),
      { ...noEffect, reasons: 1, reported: ['milestone_renamed: team'] },
    ],
    [
      'gone',
      resultOf(null),
      { ...noEffect, cancelled: true, deleted: true, reasons: 1, reported: ['cancelled: team'] },
    ],
  ])('returns the conditions of a milestone that is %s', (_name, actual, expected) => {
    expect(actual).toEqual(expected);
  });
});
