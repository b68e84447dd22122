import { describe, expect, it } from '@jest/globals';
import type { FactKind } from '../facts/facts.js';
import type { Verdict } from './evaluate.js';
import { releaseOutcome, summarizeVerdict, type OutcomeInput } from './outcome.js';
import type { ConditionCode } from '../facts/condition-catalogue.js';
import { STAGES, type Condition } from '../facts/condition.js';

const NOW = new Date('2026-05-04T12:00:00Z');
const input = (given: Partial<OutcomeInput>): OutcomeInput => ({
  stage: 'DEPLOYMENT',
  blocked: false,
  frozen: false,
  readyUntil: null,
  now: NOW,
  ...given,
});
const inMs = (ms: number): Date => new Date(NOW.getTime() + ms);

describe('releaseOutcome', () => {
  it.each(STAGES)('is "blocked" in %s when a condition blocks, with any other values', (stage) => {
    for (const readyUntil of [null, inMs(60_000)]) {
      expect(releaseOutcome(input({ stage, readyUntil, blocked: true }))).toBe('blocked');
    }
  });

  it.each(STAGES)('is "blocked" in %s by a freeze while the gate is closed', (stage) => {
    for (const readyUntil of [null, NOW, inMs(-1_000), Number.NEGATIVE_INFINITY]) {
      expect(releaseOutcome(input({ stage, readyUntil, frozen: true }))).toBe('blocked');
    }
  });

  it('is not "blocked" by a waived freeze while the gate is open', () => {
    expect(releaseOutcome(input({ readyUntil: inMs(1), frozen: true }))).toBe('ready_to_deploy');
  });

  it('is "needs_approval" in EVIDENCING', () => {
    expect(releaseOutcome(input({ stage: 'EVIDENCING' }))).toBe('needs_approval');
    expect(releaseOutcome(input({ stage: 'EVIDENCING', readyUntil: inMs(60_000) }))).toBe('needs_approval');
  });

  it.each([
    ['a second before its facts expire', inMs(1_000), 'ready_to_deploy'],
    ['a millisecond before its facts expire', inMs(1), 'ready_to_deploy'],
    ['at the moment when its facts expire', NOW, 'in_progress'],
    ['a second after its facts expired', inMs(-1_000), 'in_progress'],
    ['when the gate is closed', null, 'in_progress'],
    ['when its facts never expire', Number.POSITIVE_INFINITY, 'ready_to_deploy'],
    ['when its facts were invalidated', Number.NEGATIVE_INFINITY, 'in_progress'],
  ] as const)('%s: %s is %s', (_when, readyUntil, outcome) => {
    expect(releaseOutcome(input({ readyUntil }))).toBe(outcome);
  });

  it.each(['PLANNING', 'DEVELOPMENT', 'TESTING', 'DEPLOYMENT'] as const)(
    'is "in_progress" in %s otherwise',
    (stage) => {
      expect(releaseOutcome(input({ stage }))).toBe('in_progress');
    },
  );
});

describe('summarizeVerdict', () => {
  const condition = (code: ConditionCode): Condition => ({ code, detail: `${code}.`, actor: 'team' });
  const verdict = (
    codes: readonly ConditionCode[],
    missing: readonly FactKind[] = [],
  ): Pick<Verdict, 'gate' | 'missing'> => ({
    gate: { openUntil: null, validUntil: 0, reasons: codes.map(condition) },
    missing: missing.map((kind) => ({ kind, key: '' })),
  });
  const summaryOf = (...given: Parameters<typeof verdict>): readonly unknown[] => {
    const { blocked, unread, blockers } = summarizeVerdict(verdict(...given));
    return [blocked, unread, blockers.map(({ code }) => code)];
  };

  it('returns no blocker for an open gate', () => expect(summaryOf([])).toEqual([false, false, []]));

  it('lists blocking conditions first, each group in its order', () => {
    const codes: readonly ConditionCode[] = ['check_missing', 'evidence_failing', 'issue_open', 'tampered'];
    expect(summaryOf(codes)).toEqual([true, false, ['evidence_failing', 'tampered', 'check_missing', 'issue_open']]);
  });

  it.each(['freeze', 'facts_stale'] as const)('omits a condition that only time changes: %s', (code) => {
    expect(summaryOf([code])).toEqual([false, false, []]);
    expect(summaryOf(['issue_open', code])).toEqual([false, false, ['issue_open']]);
  });

  it('does not report a policy that was not read yet as invalid', () => {
    expect(summaryOf(['policy_unknown', 'unknown'], ['policy'])).toEqual([false, true, ['policy_unknown', 'unknown']]);
    expect(summaryOf(['policy_unknown'], ['issues'])).toEqual([true, true, ['policy_unknown']]);
    expect(summaryOf(['policy_unknown'], ['issues', 'policy'])).toEqual([false, true, ['policy_unknown']]);
  });

  it('reports other blocking conditions also while the policy was not read', () => {
    expect(summaryOf(['evidence_failing'], ['policy'])).toEqual([true, true, ['evidence_failing']]);
  });
});
