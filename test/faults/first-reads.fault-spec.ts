import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { TestEnvironment } from '../support/world.js';
import { CHANGING_KINDS } from './exposed-release.js';
import { CLOSED_AND_CURRENT, FIRST_READERS, FirstReads, type FirstRead } from './first-reads.js';

const READS: readonly FirstRead[] = CHANGING_KINDS.flatMap((kind) => FIRST_READERS.map((reader) => ({ kind, reader })));

let world: TestEnvironment;
let reads: FirstReads;
beforeAll(async () => {
  world = await TestEnvironment.start({ BILLING: 'off' });
  reads = await FirstReads.start(world, READS);
});
afterAll(async () => {
  await reads.stop();
  await world.stop();
});
afterEach(() => {
  world.github.faults.clear();
  expect(world.violations).toEqual([]);
});

it.each(READS)(
  'a change of $kind while $reader reads it first opens no gate, and is known within seconds',
  async (read) => {
    expect(await reads.change(read)).toEqual(CLOSED_AND_CURRENT);
  },
);
