import { describe, expect, it } from '@jest/globals';
import type { FactKind } from '../facts/facts.js';
import type { Verdict } from './evaluate.js';
import { isBlocking, releaseOutcome, summarizeVerdict, type OutcomeInput } from './outcome.js';
import { STAGES, type Condition } from '../facts/condition.js';

const NOW = new Date('2026-05-04T12:00:00Z');
const question = (given: Partial<OutcomeInput>): OutcomeInput => ({
  stage: 'DEPLOYMENT',
  blocked: false,
  frozen: false,
  readyUntil: null,
  now: NOW,
  ...given,
});
const inMs = (ms: number): Date => new Date(NOW.getTime() + ms);

describe('the outcome of a release', () => {
  it.each(STAGES)('is "blocked" in %s where something blocks, whatever else holds', (stage) => {
    for (const readyUntil of [null, inMs(60_000)]) {
      expect(releaseOutcome(question({ stage, readyUntil, blocked: true }))).toBe('blocked');
    }
  });

  it.each(STAGES)('is "blocked" in %s by a freeze while the gate is closed', (stage) => {
    for (const readyUntil of [null, NOW, inMs(-1_000), Number.NEGATIVE_INFINITY]) {
      expect(releaseOutcome(question({ stage, readyUntil, frozen: true }))).toBe('blocked');
    }
  });

  it('is not "blocked" by a freeze that is waived, so that the gate stands open', () => {
    expect(releaseOutcome(question({ readyUntil: inMs(1), frozen: true }))).toBe('ready_to_deploy');
  });

  it('needs an approval in EVIDENCING', () => {
    expect(releaseOutcome(question({ stage: 'EVIDENCING' }))).toBe('needs_approval');
    expect(releaseOutcome(question({ stage: 'EVIDENCING', readyUntil: inMs(60_000) }))).toBe('needs_approval');
  });

  it.each([
    ['a second before its facts expire', inMs(1_000), 'ready_to_deploy'],
    ['a millisecond before', inMs(1), 'ready_to_deploy'],
    ['at the moment when they do', NOW, 'in_progress'],
    ['a second later', inMs(-1_000), 'in_progress'],
    ['where the gate is closed', null, 'in_progress'],
    ['where nothing ever expires', Number.POSITIVE_INFINITY, 'ready_to_deploy'],
    ['where its facts were doubted', Number.NEGATIVE_INFINITY, 'in_progress'],
  ] as const)('%s: %s is %s', (_when, readyUntil, outcome) => {
    expect(releaseOutcome(question({ readyUntil }))).toBe(outcome);
  });

  it.each(['PLANNING', 'DEVELOPMENT', 'TESTING', 'DEPLOYMENT'] as const)(
    'is "in_progress" in %s otherwise',
    (stage) => {
      expect(releaseOutcome(question({ stage }))).toBe('in_progress');
    },
  );
});

describe('a condition', () => {
  const BLOCKS = [
    'cancelled',
    'changes_requested',
    'check_failing',
    'evidence_failing',
    'evidence_pull_altered',
    'evidence_pull_closed',
    'freeze',
    'milestone_renamed',
    'no_development_branch',
    'no_reviewer_left',
    'plan_limit',
    'policy_invalid',
    'policy_missing',
    'policy_unknown',
    'quality_gate_failing',
    'repository_removed',
    'tampered',
    'too_few_tests',
    'two_release_branches',
  ];
  const WAITS = [
    'approvals_missing',
    'check_missing',
    'evidence_missing',
    'evidence_pull_merged_unapproved',
    'evidence_pull_not_merged',
    'evidence_pull_outdated',
    'evidence_pull_pending',
    'facts_stale',
    'issue_open',
    'issue_unowned',
    'no_candidate',
    'not_deployed',
    'not_ready',
    'not_started',
    'quality_evidence_missing',
    'scope_empty',
    'unknown',
    'workflows_unknown',
  ];
  it.each(BLOCKS)('%s blocks', (code) => expect(isBlocking(code)).toBe(true));
  it.each(WAITS)('%s is not met yet', (code) => expect(isBlocking(code)).toBe(false));
});

describe('what the lists are told of a verdict', () => {
  const condition = (code: string): Condition => ({ code, detail: `${code}.`, actor: 'team' });
  const verdict = (codes: readonly string[], missing: readonly FactKind[] = []): Pick<Verdict, 'gate' | 'missing'> => ({
    gate: { openUntil: null, validUntil: 0, reasons: codes.map(condition) },
    missing: missing.map((kind) => ({ kind, key: '' })),
  });
  const told = (...given: Parameters<typeof verdict>): readonly unknown[] => {
    const { blocked, unread, blockers } = summarizeVerdict(verdict(...given));
    return [blocked, unread, blockers.map(({ code }) => code)];
  };

  it('is nothing of an open gate', () => expect(told([])).toEqual([false, false, []]));

  it('begins with what blocks, each in its order', () => {
    const codes = ['check_missing', 'evidence_failing', 'issue_open', 'tampered'];
    expect(told(codes)).toEqual([true, false, ['evidence_failing', 'tampered', 'check_missing', 'issue_open']]);
  });

  it.each(['freeze', 'facts_stale'])('leaves out what time alone changes: %s', (code) => {
    expect(told([code])).toEqual([false, false, []]);
    expect(told(['issue_open', code])).toEqual([false, false, ['issue_open']]);
  });

  it('takes a policy that was not read yet for no invalid one', () => {
    expect(told(['policy_unknown', 'unknown'], ['policy'])).toEqual([false, true, ['policy_unknown', 'unknown']]);
    expect(told(['policy_unknown'], ['issues'])).toEqual([true, true, ['policy_unknown']]);
  });
});
