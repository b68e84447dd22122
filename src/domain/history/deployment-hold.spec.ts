import { describe, expect, it } from '@jest/globals';
import type { Condition } from '../facts/condition.js';
import type { ConditionCode } from '../facts/condition-catalogue.js';
import { DEFAULT_POLICY, type Policy } from '../policy/policy.js';
import { type HoldFacts, decideHold } from './deployment-hold.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NOW = new Date('2026-05-04T09:00:00Z');
const ago = (milliseconds: number): Date => new Date(NOW.getTime() - milliseconds);
const SHA = 'a'.repeat(40);
const OTHER = 'b'.repeat(40);

const condition = (code: ConditionCode): Condition => ({ code, detail: `It is ${code}.`, actor: 'reviewer' });
const open = { version: 'v1.4.0', isOpen: true, reasons: [] };
const closedBy = (...codes: readonly ConditionCode[]) => ({
  version: 'v1.4.0',
  isOpen: false,
  reasons: codes.map(condition),
});
const policyWith = (hold: NonNullable<Policy['deployment']['hold']>): Policy => ({
  ...DEFAULT_POLICY,
  deployment: { ...DEFAULT_POLICY.deployment, hold },
});
const REJECTS = policyWith({ hours: 24, whenClosed: 'reject' });

/** A policy with two environments before the target `production`. */
const chain = (hold?: Policy['deployment']['hold']): Policy => ({
  ...DEFAULT_POLICY,
  development: { ...DEFAULT_POLICY.development, deployTarget: 'dev' },
  testing: { ...DEFAULT_POLICY.testing, deployTarget: 'Staging', soak: 3_600 },
  deployment: { ...DEFAULT_POLICY.deployment, ...(hold && { hold }) },
});

const given = (changes: Partial<HoldFacts> = {}): HoldFacts => ({
  now: NOW,
  requestedAt: ago(5 * MINUTE_MS),
  environment: 'production',
  sha: SHA,
  isFromFork: false,
  event: 'workflow_dispatch',
  awaitsReviewers: false,
  awaitsTimer: false,
  isManaged: true,
  policy: DEFAULT_POLICY,
  release: open,
  candidates: [{ version: 'v1.4.0', candidateSha: OTHER }],
  ...changes,
});

describe('decideHold', () => {
  it.each<[string, Partial<HoldFacts>]>([
    ['the gate of the commit is open', {}],
    ['the environment differs from the target in its case only', { environment: 'Production' }],
    ['the gate opens after the longest wait', { requestedAt: ago(25 * HOUR_MS) }],
    ['the gate is open and the policy does not wait', { policy: REJECTS }],
  ])('approves if %s', (_, changes) => {
    expect(decideHold(given(changes))).toEqual({ kind: 'approve' });
  });

  it.each<[string, Partial<HoldFacts>, string]>([
    ['the gate is closed', { release: closedBy('evidence_failing') }, 'It is evidence_failing.'],
    [
      'facts are stale, although the policy rejects',
      { release: closedBy('facts_stale'), policy: REJECTS },
      'facts_stale',
    ],
    ['facts are unknown, although the policy rejects', { release: closedBy('unknown'), policy: REJECTS }, 'unknown'],
    ['reviewers of the environment have not approved', { awaitsReviewers: true }, 'reviewers of the environment'],
    ['a timer of the environment runs', { awaitsTimer: true }, 'wait timer'],
    ['the repository is not managed', { isManaged: false }, 'does not manage'],
    ['the policy is unknown', { policy: null }, 'sdlc.yaml'],
    ['the policy is unknown for another environment', { policy: null, environment: 'staging' }, 'sdlc.yaml'],
    ['the commit was not known for two minutes', { release: null, requestedAt: ago(2 * MINUTE_MS - 1) }, SHA],
  ])('waits if %s, and is checked again after a minute', (_, changes, reason) => {
    const answer = decideHold(given(changes));
    expect(answer).toMatchObject({ kind: 'wait', nextCheckAt: new Date(NOW.getTime() + MINUTE_MS) });
    expect(answer.kind === 'wait' && answer.reasons.join(' ')).toContain(reason);
  });

  it.each<[string, Partial<HoldFacts>, string]>([
    ['the commit is from a fork', { isFromFork: true }, 'fork'],
    ['the run is for a pull request', { event: 'pull_request' }, 'for a pull request'],
    ['the run is for the base of a pull request', { event: 'pull_request_target' }, 'for a pull request'],
    ['the run is for a review of a pull request', { event: 'pull_request_review' }, 'for a pull request'],
    ['a fork is not managed', { isFromFork: true, isManaged: false, policy: null }, 'fork'],
    ['the environment is another one', { environment: 'staging' }, 'Remove its rule from the environment staging.'],
    ['the commit is no candidate', { release: null, requestedAt: ago(2 * MINUTE_MS) }, `of v1.4.0 is ${OTHER}.`],
    ['the policy does not wait', { release: closedBy('evidence_failing'), policy: REJECTS }, 'It is evidence_failing.'],
    [
      'the policy does not wait and only some facts are stale',
      { release: closedBy('facts_stale', 'evidence_failing'), policy: REJECTS },
      'It is evidence_failing.',
    ],
    [
      'it waited for the longest time',
      { release: closedBy('evidence_failing'), requestedAt: ago(24 * HOUR_MS) },
      'It waited for 24 hours. The gate of v1.4.0 is closed. It is evidence_failing.',
    ],
    ['the reviewers took too long', { awaitsReviewers: true, requestedAt: ago(24 * HOUR_MS) }, 'waited for 24 hours'],
    ['nothing was known for too long', { policy: null, requestedAt: ago(24 * HOUR_MS) }, 'It waited for 24 hours.'],
    [
      'it waited for the time of the policy',
      {
        release: closedBy('freeze'),
        policy: policyWith({ hours: 1, whenClosed: 'wait' }),
        requestedAt: ago(HOUR_MS),
      },
      'It waited for 1 hour.',
    ],
  ])('rejects if %s', (_, changes, reason) => {
    const answer = decideHold(given(changes));
    expect(answer.kind).toBe('reject');
    expect(answer.kind === 'reject' && answer.reasons.join(' ')).toContain(reason);
  });

  describe.each(['dev', 'Staging', 'staging'])('for the environment %s before the target', (environment) => {
    const held = (changes: Partial<HoldFacts> = {}): HoldFacts =>
      given({ environment, policy: chain(), candidates: [], ...changes });
    const rejecting = chain({ hours: 1, whenClosed: 'reject' });

    it('approves if its gate is open', () => {
      expect(decideHold(held())).toEqual({ kind: 'approve' });
      expect(decideHold(held({ policy: rejecting }))).toEqual({ kind: 'approve' });
    });

    it.each<[string, Partial<HoldFacts>, string]>([
      ['its gate is closed', { release: closedBy('tampered') }, 'It is tampered.'],
      [
        'facts are stale, although the policy rejects',
        { release: closedBy('facts_stale'), policy: rejecting },
        'facts_stale',
      ],
      ['its reviewers have not approved', { awaitsReviewers: true }, 'reviewers of the environment'],
      ['its timer runs', { awaitsTimer: true }, 'wait timer'],
      ['the commit was not known for two minutes', { release: null, requestedAt: ago(2 * MINUTE_MS - 1) }, SHA],
    ])('waits if %s', (_, changes, reason) => {
      const answer = decideHold(held(changes));
      expect(answer.kind).toBe('wait');
      expect(answer.kind === 'wait' && answer.reasons.join(' ')).toContain(reason);
    });

    it.each<[string, Partial<HoldFacts>, string]>([
      [
        'its gate is closed and the policy does not wait',
        { release: closedBy('tampered'), policy: rejecting },
        'tampered',
      ],
      ['the commit is from a fork', { isFromFork: true }, 'fork'],
      ['the run is for a pull request', { event: 'pull_request' }, 'for a pull request'],
      ['the commit is no candidate', { release: null }, 'is not the candidate of a release'],
      [
        'it waited for the time of the policy',
        { release: closedBy('tampered'), requestedAt: ago(HOUR_MS), policy: chain({ hours: 1, whenClosed: 'wait' }) },
        'It waited for 1 hour.',
      ],
    ])('rejects if %s', (_, changes, reason) => {
      const answer = decideHold(held(changes));
      expect(answer.kind).toBe('reject');
      expect(answer.kind === 'reject' && answer.reasons.join(' ')).toContain(reason);
    });
  });

  it.each(['qa', 'staging ', 'dev/eu', ''])('rejects for the environment %j that the chain does not name', (name) => {
    const answer = decideHold(given({ environment: name, policy: chain() }));
    expect(answer).toEqual({
      kind: 'reject',
      reasons: [`Shipgate governs dev, Staging, production. Remove its rule from the environment ${name}.`],
    });
  });

  it('is checked again when the longest wait ends', () => {
    const requestedAt = ago(24 * HOUR_MS - 1_000);
    expect(decideHold(given({ release: closedBy('freeze'), requestedAt }))).toMatchObject({
      kind: 'wait',
      nextCheckAt: new Date(NOW.getTime() + 1_000),
    });
  });
});
