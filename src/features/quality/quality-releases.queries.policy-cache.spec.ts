import { describe, expect, it } from '@jest/globals';
import { PLAIN_POLICY, policyWith } from '../../../test/support/given-facts.js';
import type { Policy } from '../../domain/policy/policy.js';
import { PolicyCache } from './quality-releases.queries.js';

const at = (ms: number): Date => new Date(Date.UTC(2026, 4, 4, 10) + ms);

/** A cache with a reader that returns `policy` for every repository and records the requested ids. */
class Fixture {
  policy: Policy | null = PLAIN_POLICY;
  readonly requested: (readonly string[])[] = [];
  readonly policies = new PolicyCache();

  of(ids: readonly string[], ms: number): ReturnType<PolicyCache['of']> {
    return this.policies.of(ids, at(ms), async (unknown) => {
      this.requested.push(unknown);
      return new Map(unknown.map((id) => [id, this.policy]));
    });
  }
}

describe('recent policies', () => {
  it('are read once each, also if a policy is missing', async () => {
    const scenario = new Fixture();
    await scenario.of(['a', 'b', 'a'], 0);
    scenario.policy = null;
    await scenario.of(['c'], 0);
    const known = await scenario.of(['b', 'd', 'c', 'a'], 10_000);
    expect(scenario.requested).toEqual([['a', 'b'], ['c'], ['d']]);
    expect(['a', 'b', 'c', 'd'].map((id) => known.get(id))).toEqual([PLAIN_POLICY, PLAIN_POLICY, null, null]);
  });

  it('are read again after ten seconds', async () => {
    const scenario = new Fixture();
    await scenario.of(['a'], 0);
    scenario.policy = policyWith({ qualityGates: { ...PLAIN_POLICY.qualityGates } });
    expect((await scenario.of(['a'], 10_001)).get('a')).toBe(scenario.policy);
    await scenario.of(['a'], 20_001);
    expect(scenario.requested).toEqual([['a'], ['a']]);
  });

  it('stay valid for an earlier caller while others read them again', async () => {
    const scenario = new Fixture();
    const before = await scenario.of(['a'], 0);
    await scenario.of(['b'], 10_001);
    expect(before.get('a')).toBe(PLAIN_POLICY);
  });

  it('are cached up to a limit', async () => {
    const scenario = new Fixture();
    await scenario.of(
      Array.from({ length: 1_000 }, (_, id) => String(id)),
      0,
    );
    await scenario.of(['0', 'one more'], 1);
    await scenario.of(['0'], 2);
    expect(scenario.requested.slice(1)).toEqual([['one more'], ['0']]);
  });
});
