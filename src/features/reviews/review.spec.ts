import { describe, expect, it } from '@jest/globals';
import { NOW, policyWith, pull, reviewersRule, valid } from '../../../test/support/given-facts.js';
import type { Observation } from '../../domain/facts/facts.js';
import { buildReview } from './review.js';
import type { ReviewedRelease } from './reviews.queries.js';

const MARA = { userId: 77, login: 'mara' };
const REQUESTED_AT = new Date(NOW.getTime() - 1_000);
const OBSERVED_AT = new Date(NOW.getTime() - 500);
const EARLIER = new Date(REQUESTED_AT.getTime() - 1);

const FACTS: readonly Observation[] = [
  { kind: 'policy', key: '', value: valid(policyWith({ evidencing: reviewersRule({ excludeReleaseAuthors: true }) })) },
  { kind: 'permission', key: MARA.login, value: { userId: MARA.userId, level: 'write' } },
].map((fact) => ({ ...fact, observedAt: OBSERVED_AT }) as Observation);

const release = (changes: Partial<ReviewedRelease> = {}): ReviewedRelease => ({
  id: 'id',
  repositoryId: 'repository',
  org: 'acme',
  repo: 'payments',
  version: 'v1.0.0',
  milestoneUrl: 'https://github.com/acme/payments/milestone/1',
  updatedAt: NOW,
  isPending: true,
  ending: null,
  pull: { number: 7, url: '', observation: { kind: 'pull', key: '7', value: pull(), observedAt: OBSERVED_AT } },
  approvalsGiven: 1,
  waitingSince: EARLIER,
  authorIds: [1],
  validUntil: Number.POSITIVE_INFINITY,
  branches: { prefixes: ['main'], seenAt: OBSERVED_AT },
  ...changes,
});

const seen = (seenAt: Date | null): Partial<ReviewedRelease> => ({ branches: { prefixes: ['main'], seenAt } });

const getStatus = (changes: Partial<ReviewedRelease>, requestedAt: Date | null): string =>
  buildReview(release(changes), { reviewer: MARA, facts: FACTS, now: NOW, requestedAt }).eligibility.status;

describe('a review with facts that GitHub returns now', () => {
  it.each([
    ['eligible', 'returned unchanged branches', seen(OBSERVED_AT)],
    ['eligible', 'returned them at the time of the request', seen(REQUESTED_AT)],
    ['unknown', 'did not return the branches', seen(EARLIER)],
    ['unknown', 'never returned the branches', seen(null)],
    ['unknown', 'was not requested to return them', { branches: null }],
    ['unknown', 'returned other branch heads', { validUntil: Number.NEGATIVE_INFINITY }],
    ['ineligible', 'names the user as an author', { authorIds: [1, MARA.userId] }],
  ])('makes a user %s under a rule that excludes authors if GitHub %s', (status, _, changes) => {
    expect(getStatus(changes, REQUESTED_AT)).toBe(status);
  });

  it.each(['shipped', 'cancelled'] as const)('makes no user eligible for a release that is %s', (ending) => {
    for (const changes of [{}, { authorIds: null }, seen(null)]) {
      const { eligibility } = buildReview(release({ ...changes, ending }), {
        reviewer: MARA,
        facts: FACTS,
        now: NOW,
        requestedAt: REQUESTED_AT,
      });
      expect(eligibility).toEqual({
        status: 'ineligible',
        login: MARA.login,
        reason: `v1.0.0 is ${ending}: its evidence can no longer be reviewed.`,
      });
    }
  });

  it('does not need fresh branches for a page of stored facts', () => {
    for (const changes of [seen(EARLIER), { branches: null }]) expect(getStatus(changes, null)).toBe('eligible');
  });
});
