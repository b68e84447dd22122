import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { changeShuffled, runShuffled } from './shuffled-scenarios.js';

const LIVES = 100;
const ORDERS = 5_000;
/** Each lot is a test with its own hour. The report shows finished lots even if a later one fails. */
const LOTS = 20;

const seed = process.env['SHUFFLE_SEED'] ?? randomUUID().slice(0, 8);

it(`${LIVES} releases end in the same state, whatever the order of deliveries`, async () => {
  process.stdout.write(`SHUFFLE_SEED=${seed}\n`);
  expect((await runShuffled(LIVES, seed)).different).toEqual({});
});

it.each(Array.from({ length: LOTS }, (_, lot) => lot + 1))(
  `${ORDERS} orders of deliveries leave the gate in the state on GitHub: lot %i of ${LOTS}`,
  async (lot) => {
    process.stdout.write(`SHUFFLE_SEED=${seed}\n`);
    expect((await changeShuffled(ORDERS / LOTS, `${seed}-${lot}`)).different).toEqual({});
  },
);
