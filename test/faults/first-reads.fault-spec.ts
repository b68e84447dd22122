import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { TestEnvironment } from '../support/test-environment.js';
import { CHANGING_KINDS } from './release-under-test.js';
import { CLOSED_AND_CURRENT, FIRST_READERS, FirstReads, type FirstRead } from './first-reads.js';

const READS: readonly FirstRead[] = CHANGING_KINDS.flatMap((kind) => FIRST_READERS.map((reader) => ({ kind, reader })));

let env: TestEnvironment;
let reads: FirstReads;
beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off' });
  reads = await FirstReads.start(env, READS);
});
afterAll(async () => {
  await reads.stop();
  await env.stop();
});
afterEach(() => {
  env.github.faults.clear();
  expect(env.violations).toEqual([]);
});

it.each(READS)(
  'a change of $kind while $reader reads it first opens no gate, and is known within seconds',
  async (read) => {
    expect(await reads.change(read)).toEqual(CLOSED_AND_CURRENT);
  },
);
