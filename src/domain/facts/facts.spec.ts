import { describe, expect, it } from '@jest/globals';
import { NOW } from '../../../test/support/given-facts.js';
import { FACT_LIFETIME_MS, factId, parseFactId, factExpiresAt, type FactKind } from './facts.js';

describe('a fact', () => {
  const minutes: Readonly<Record<FactKind, number>> = {
    policy: 20,
    milestone: 20,
    issues: 20,
    pulls_of_issue: 20,
    refs: 20,
    history: Number.POSITIVE_INFINITY,
    comparison: Number.POSITIVE_INFINITY,
    checks: 20,
    pull: 20,
    reviews: 20,
    permission: 5,
    team: 5,
    run_jobs: 20,
    deployments: 20,
  };

  it.each(Object.keys(minutes) as FactKind[])('has its own lifetime for the kind "%s"', (kind) => {
    expect(FACT_LIFETIME_MS[kind]).toBe(minutes[kind] * 60_000);
  });

  it('expires a lifetime after it was observed', () => {
    const value = { exists: true, userIds: [] };
    expect(factExpiresAt({ kind: 'team', key: 'leads', value, observedAt: NOW })).toBe(NOW.getTime() + 5 * 60_000);
  });

  it.each([
    ['policy', ''],
    ['issues', '5'],
    ['refs', 'release/v1:2/'],
  ] as const)('has an id for the kind "%s" and the key "%s" that parses back', (kind, key) => {
    expect(factId({ kind, key })).toBe(`${kind}:${key}`);
    expect(parseFactId(`${kind}:${key}`)).toEqual({ kind, key });
  });
});
