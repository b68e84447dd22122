import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CountedWork } from '../../../test/support/counted-work.js';
import { CANDIDATE, NOW } from '../../../test/support/given-facts.js';
import { waiver } from '../../../test/support/given-overrides.js';
import type { Condition } from '../facts/condition.js';

const work = new CountedWork('/src/domain/override/');
/** Applies a waiver of all subjects, and returns the number of conditions that it does not cover. */
let waive: (conditions: readonly Condition[]) => number;

beforeAll(async () => {
  await work.start();
  const { AppliedOverrides } = await import('./applied-overrides.js');
  waive = (conditions) => {
    const subjects = conditions.flatMap((condition) => condition.subjects ?? []);
    const waivers = [waiver({ condition: 'evidence_failing', subjects })];
    const applied = new AppliedOverrides({ waivers, breakGlasses: [] }, [CANDIDATE], NOW);
    const left = applied.waive(conditions).length;
    expect(applied.list().map(({ conditions: covered }) => covered.length)).toEqual([conditions.length - left]);
    return left;
  };
});
afterAll(() => work.stop());

const failing = (count: number, subjects: number): readonly Condition[] =>
  Array.from({ length: count }, (_, of) => ({
    code: 'evidence_failing',
    detail: 'It failed.',
    actor: 'ci',
    subjects: Array.from({ length: subjects }, (__, n) => ({ id: `test ${of} ${n}`, label: 'a test' })),
  }));

describe('the work to apply a waiver', () => {
  it.each([
    ['subjects of a condition', failing(1, 2_000), failing(1, 4_000)],
    ['conditions', failing(1_000, 1), failing(2_000, 1)],
  ])('at most doubles with the number of %s', async (_, once, twice) => {
    const count = (conditions: readonly Condition[]): Promise<number> =>
      work.count(() => expect(waive(conditions)).toBe(0));
    await count(once);
    expect((await count(twice)) / (await count(once))).toBeLessThan(2.2);
  });
});
