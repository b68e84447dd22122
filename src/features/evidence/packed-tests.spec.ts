import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import type { TestOutcome } from '../../domain/evidence/test-outcome.js';
import { TESTS_OF_A_PART } from '../../domain/quality/packed-roll.js';
import { packTests } from './packed-tests.js';

const OUTCOMES = ['skipped', 'passed', 'flaky', 'failed'] as const;
const testsOf = (count: number, name = 'cart › keeps the order'): readonly TestOutcome[] =>
  Array.from({ length: count }, (_, at) => ({ name: `${name} ${at} 漢`, outcome: OUTCOMES[at % 4] ?? 'failed' }));

/** Slowly and plainly, what every mark must be: the first 62 bits of the name's digest as it stands, and the outcome. */
function markOf({ name, outcome }: TestOutcome): bigint {
  const digest = createHash('sha256').update(name, 'utf8').digest().readBigUInt64LE(0);
  return (digest & ~3n) | BigInt(OUTCOMES.indexOf(outcome));
}

describe('packed tests', () => {
  it.each([1, 5, TESTS_OF_A_PART, TESTS_OF_A_PART + 1, 2 * TESTS_OF_A_PART + 3])(
    'are all there, in their order, of %i',
    async (count) => {
      const tests = testsOf(count);
      const { complete, parts } = await packTests(tests);
      expect(complete).toBe(true);
      expect(parts.slice(0, -1).every((part) => part.tests === TESTS_OF_A_PART)).toBe(true);
      const names = parts.flatMap((part) => JSON.parse(gunzipSync(part.names).toString()) as string[]);
      expect(names).toEqual(tests.map(({ name }) => name));
      const marks = parts.flatMap((part) => {
        const bytes = Buffer.from(part.marks);
        return Array.from({ length: part.tests }, (_, at) => bytes.readBigUInt64LE(8 * at));
      });
      expect(marks).toEqual(tests.map(markOf));
    },
  );

  it('of none are no part', async () => {
    expect(await packTests([])).toEqual({ complete: true, parts: [] });
  });

  it('are perhaps not all where they are as many, or as long, as are kept', async () => {
    expect((await packTests(testsOf(249_999, ''))).complete).toBe(true);
    expect((await packTests(testsOf(250_000, ''))).complete).toBe(false);
    expect((await packTests(testsOf(64_000, 'x'.repeat(500)))).complete).toBe(false);
  });
});
