import { expect, it } from '@jest/globals';
import type { Schema } from '../../api/client.js';
import { describeAnswer } from './describe-answer.js';

type Release = Schema<'Release'>;

const givenDetails = (release: Partial<Release>, reasons: number): Schema<'ReleaseDetails'> =>
  ({
    release: { outcome: 'blocked', candidateSha: '4f1c2d9e8b7a', cancelledAt: null, deployedAt: null, ...release },
    reasons: Array.from({ length: reasons }),
    approvals: { given: 1, required: 2 },
    policy: { rules: { deployment: { target: 'production' } } },
  }) as unknown as Schema<'ReleaseDetails'>;

it.each([
  [{ outcome: 'blocked' }, 'not_ready', 2, 'blocked', 'Blocked: 2 conditions are not met.'],
  [{ outcome: 'needs_approval' }, 'not_ready', 1, 'needsApproval', 'Needs approval: 1 of 2 given.'],
  [{ outcome: 'ready_to_deploy' }, 'ready', 0, 'good', 'Ready to deploy 4f1c2d9 to production.'],
  [{ outcome: 'in_progress' }, 'not_ready', 1, 'running', 'In progress: 1 condition is not met yet.'],
  [{ outcome: null, deployedAt: '2026-05-04T10:00:00Z' }, 'expired', 0, 'shipped', 'Shipped.'],
  [
    { outcome: null, cancelledAt: '2026-05-04T10:00:00Z' },
    'not_ready',
    0,
    'neutral',
    'Cancelled. To continue, reopen the milestone on GitHub.',
  ],
] as const)('describes %j with readiness %s', (release, status, reasons, kind, sentence) => {
  expect(describeAnswer(givenDetails(release, reasons), status)).toEqual({ kind, sentence });
});

it.each([
  ['expired', 'stale', /^Out of date/],
  ['pending', 'stale', /^Being evaluated/],
  ['unknown', 'unknown', /^Not verified/],
] as const)('never calls a release ready whose readiness is %s', (status, kind, sentence) => {
  expect(describeAnswer(givenDetails({ outcome: 'ready_to_deploy' }, 0), status)).toEqual({
    kind,
    sentence: expect.stringMatching(sentence),
  });
});
