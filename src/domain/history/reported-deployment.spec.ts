import { describe, expect, it } from '@jest/globals';
import type { DeployedRelease } from './deployment.js';
import {
  countingStart,
  type DeploymentReports,
  endOfWait,
  isOpen,
  isStartProven,
  LONGEST_DEPLOYMENT_MS,
  provenKind,
  type ReportedStart,
  reportedState,
  reportEffect,
  shippingDecision,
} from './reported-deployment.js';

const T0 = new Date('2026-05-04T09:00:00Z');
const after = (ms: number): Date => new Date(T0.getTime() + ms);
const HOUR_MS = 3_600_000;
const OPEN_START: ReportedStart = { at: T0, atTarget: true, canDeploy: true, releaseId: 'r', decisionId: 'd' };

const NOTHING: DeploymentReports = { start: null, end: null, lostAt: null };
const STARTED: DeploymentReports = { ...NOTHING, start: OPEN_START };
const ended = (status: 'succeeded' | 'failed' | 'cancelled', ms: number): DeploymentReports => ({
  ...STARTED,
  end: { status, at: after(ms), hasOtherBytes: false },
});

describe('the state of a reported deployment', () => {
  it.each<[string, DeploymentReports, number, string, boolean]>([
    ['has started', STARTED, HOUR_MS, 'started', true],
    ['has started almost 24 hours ago', STARTED, LONGEST_DEPLOYMENT_MS - 1, 'started', true],
    ['has started 24 hours ago', STARTED, LONGEST_DEPLOYMENT_MS, 'unknown', false],
    ['was ended by the service', { ...STARTED, lostAt: after(HOUR_MS) }, HOUR_MS, 'unknown', false],
    ['has succeeded', ended('succeeded', HOUR_MS), HOUR_MS, 'succeeded', false],
    ['has failed', ended('failed', HOUR_MS), HOUR_MS, 'failed', false],
    ['was cancelled long ago', ended('cancelled', HOUR_MS), 9 * LONGEST_DEPLOYMENT_MS, 'cancelled', false],
    ['has succeeded too late', ended('succeeded', LONGEST_DEPLOYMENT_MS), LONGEST_DEPLOYMENT_MS, 'succeeded', false],
    ['has no start', { ...ended('succeeded', 0), start: null }, 0, 'succeeded', false],
  ])('is right if it %s', (_name, reports, now, state, open) => {
    expect([reportedState(reports, after(now)), isOpen(reports, after(now))]).toEqual([state, open]);
  });
});

describe('reportEffect', () => {
  it.each([
    ['the first start', null, 'started', 'new'],
    ['the first end', null, 'succeeded', 'new'],
    ['another start', STARTED, 'started', 'repetition'],
    ['the end of a start', STARTED, 'failed', 'new'],
    ['the end of a lost one', { ...STARTED, lostAt: T0 }, 'succeeded', 'new'],
    ['the same end', ended('failed', 1), 'failed', 'repetition'],
    ['another end', ended('failed', 1), 'succeeded', 'contradiction'],
    ['a late start', { ...ended('succeeded', 1), start: null }, 'started', 'repetition'],
  ] as const)('of %s', (_name, reports, status, effect) => {
    expect(reportEffect(reports, status)).toBe(effect);
  });
});

describe('countingStart', () => {
  it.each<[string, DeploymentReports, ReportedStart | null]>([
    ['in time', ended('succeeded', LONGEST_DEPLOYMENT_MS - 1), OPEN_START],
    ['too late', ended('succeeded', LONGEST_DEPLOYMENT_MS), null],
    ['after the service had ended it', { ...ended('succeeded', HOUR_MS), lostAt: after(HOUR_MS) }, null],
    ['before the service ended it', { ...ended('succeeded', HOUR_MS), lostAt: after(HOUR_MS + 1) }, OPEN_START],
    ['without a start', { ...ended('succeeded', 0), start: null }, null],
    ['with other bytes', { ...STARTED, end: { status: 'succeeded', at: after(1), hasOtherBytes: true } }, null],
  ])('of a deployment that ended %s', (_name, reports, start) => {
    expect(countingStart(reports)).toBe(start);
  });
});

describe('shippingDecision', () => {
  it.each<[string, Partial<ReportedStart>, boolean]>([
    ['open', {}, true],
    ['closed', { canDeploy: false }, false],
    ['of another environment', { atTarget: false }, false],
    ['of no release', { releaseId: null }, false],
    ['without a decision', { decisionId: null }, false],
  ])('exists only for an open start at the target: %s', (_name, changes, ships) => {
    expect(shippingDecision({ ...OPEN_START, ...changes })).toEqual(ships ? { releaseId: 'r', decisionId: 'd' } : null);
  });

  it('does not exist without a start', () => {
    expect(shippingDecision(null)).toBeNull();
  });
});

describe('isStartProven', () => {
  it.each<[string, DeploymentReports, number, boolean]>([
    ['runs', STARTED, HOUR_MS, true],
    ['takes too long', STARTED, LONGEST_DEPLOYMENT_MS, false],
    ['has succeeded', ended('succeeded', HOUR_MS), 9 * LONGEST_DEPLOYMENT_MS, true],
    ['has failed', ended('failed', HOUR_MS), HOUR_MS, false],
    ['was cancelled', ended('cancelled', HOUR_MS), HOUR_MS, false],
    ['has no start', { ...ended('succeeded', HOUR_MS), start: null }, HOUR_MS, false],
    ['has no report', NOTHING, 0, false],
  ])('returns whether a deployment may be governed that %s', (_name, reports, now, proven) => {
    expect(isStartProven(reports, after(now))).toBe(proven);
  });

  it('has no end of its wait without a start', () => {
    expect(endOfWait(NOTHING)).toBeNull();
  });
});

describe('provenKind', () => {
  const release: DeployedRelease = {
    hotfix: false,
    shippedAt: null,
    superseded: false,
    decision: { id: 'd', open: true },
    frozen: false,
  };
  const shipped = { ...release, shippedAt: T0 };

  it.each<[string, DeployedRelease | null, string, string]>([
    ['no release', null, 'ungoverned', 'ungoverned'],
    ['an open release', release, 'release', 'ungoverned'],
    ['an open hotfix', { ...release, hotfix: true }, 'hotfix', 'ungoverned'],
    ['a closed release', { ...release, decision: null }, 'ungoverned', 'ungoverned'],
    ['the running release', shipped, 'again', 'again'],
    ['an earlier release', { ...shipped, superseded: true }, 'rollback', 'ungoverned'],
  ])('of %s depends on the proof', (_name, deployed, proven, unproven) => {
    expect([provenKind(deployed, true), provenKind(deployed, false)]).toEqual([proven, unproven]);
  });
});
