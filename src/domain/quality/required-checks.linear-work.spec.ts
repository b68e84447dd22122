import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CountedWork } from '../../../test/support/counted-work.js';
import type { CheckFact } from '../facts/facts.js';
import type { RequiredCheck } from '../policy/policy.js';

const work = new CountedWork('/src/domain/');
let evaluate: (required: readonly RequiredCheck[], checks: readonly CheckFact[]) => void;

beforeAll(async () => {
  await work.start();
  const { unmetChecks } = await import('./required-checks.js');
  evaluate = (required, checks) => void unmetChecks(required, checks);
});
afterAll(() => work.stop());

const statuses = (count: number, length: number): readonly CheckFact[] =>
  Array.from({ length: count }, (_, id) => ({
    id,
    name: `${'s'.repeat(length)} ${id}`,
    app: null,
    suite: null,
    workflowRun: null,
    attempt: null,
    startedAt: null,
    completedAt: null,
    state: 'success',
    conclusion: null,
    url: null,
  }));

describe('the work to find unmet checks', () => {
  it.each([
    ['missing', (n: number) => `${'s'.repeat(80)} m${n}`],
    ['reported', (n: number) => `${'s'.repeat(80)} ${n}`],
  ])(
    'at most doubles with twice as many required and reported checks, where the required ones are %s',
    async (_, toName) => {
      const count = (factor: number): Promise<number> => {
        const required = Array.from({ length: 100 * factor }, (__, n) => ({ name: toName(n), app: null }));
        const checks = statuses(2_000 * factor, 80);
        return work.count(() => evaluate(required, checks));
      };
      await count(1);
      expect((await count(2)) / (await count(1))).toBeLessThan(2.2);
    },
  );
});
