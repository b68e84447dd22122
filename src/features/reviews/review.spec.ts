import { describe, expect, it } from '@jest/globals';
import { NOW, policyWith, pull, reviewersRule, valid } from '../../../test/support/given-facts.js';
import type { Observation } from '../../domain/facts/facts.js';
import { buildReview } from './review.js';
import type { ReviewedRelease } from './reviews.queries.js';

const MARA = { userId: 77, login: 'mara' };
const ASKED_AT = new Date(NOW.getTime() - 1_000);
const TOLD_AT = new Date(NOW.getTime() - 500);
const EARLIER = new Date(ASKED_AT.getTime() - 1);

const FACTS: readonly Observation[] = [
  { kind: 'policy', key: '', value: valid(policyWith({ evidencing: reviewersRule({ excludeReleaseAuthors: true }) })) },
  { kind: 'permission', key: MARA.login, value: { userId: MARA.userId, level: 'write' } },
].map((fact) => ({ ...fact, observedAt: TOLD_AT }) as Observation);

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
  pull: { number: 7, url: '', observation: { kind: 'pull', key: '7', value: pull(), observedAt: TOLD_AT } },
  authorIds: [1],
  validUntil: Number.POSITIVE_INFINITY,
  branches: { prefixes: ['main'], seenAt: TOLD_AT },
  ...changes,
});

const seen = (seenAt: Date | null): Partial<ReviewedRelease> => ({ branches: { prefixes: ['main'], seenAt } });

const statusOf = (changes: Partial<ReviewedRelease>, askedAt: Date | null): string =>
  buildReview(release(changes), { reviewer: MARA, facts: FACTS, now: NOW, askedAt }).eligibility.status;

describe('a review by what the host says now', () => {
  it.each([
    ['eligible', 'said that the branches are where they were', seen(TOLD_AT)],
    ['eligible', 'said so the moment it was asked', seen(ASKED_AT)],
    ['unknown', 'did not say where the branches are', seen(EARLIER)],
    ['unknown', 'never said where they are', seen(null)],
    ['unknown', 'was not asked where they are', { branches: null }],
    ['unknown', 'said that they are elsewhere', { validUntil: Number.NEGATIVE_INFINITY }],
    ['ineligible', 'says that the person wrote it', { authorIds: [1, MARA.userId] }],
  ])('makes one who may not be an author %s where it %s', (status, _, changes) => {
    expect(statusOf(changes, ASKED_AT)).toBe(status);
  });

  it.each(['shipped', 'cancelled'] as const)('makes nobody eligible for a release that is %s', (ending) => {
    for (const changes of [{}, { authorIds: null }, seen(null)]) {
      const { eligibility } = buildReview(release({ ...changes, ending }), {
        reviewer: MARA,
        facts: FACTS,
        now: NOW,
        askedAt: ASKED_AT,
      });
      expect(eligibility).toEqual({
        status: 'ineligible',
        login: MARA.login,
        reason: `v1.0.0 is ${ending}: its evidence is reviewed no more.`,
      });
    }
  });

  it('asks that of no page, which is as stored', () => {
    for (const changes of [seen(EARLIER), { branches: null }]) expect(statusOf(changes, null)).toBe('eligible');
  });
});
