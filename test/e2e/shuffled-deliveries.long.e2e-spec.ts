import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { changeShuffled, runShuffled } from '../faults/shuffled-scenarios.js';

const LIVES = 2;
const ORDERS = 20;

describe('in any order and with repeated deliveries', () => {
  const seed = process.env['SHUFFLE_SEED'] ?? randomUUID().slice(0, 8);
  beforeAll(() => {
    process.stdout.write(`SHUFFLE_SEED=${seed}\n`);
  });

  it('a release has the same result', async () => {
    const { inOrder, different } = await runShuffled(LIVES, seed);
    expect(inOrder).toMatchObject([
      {
        release: { stage: 'DEPLOYED', shipped: true },
        history: [{ kind: 'release' }],
        shipments: 1,
        gaps: 0,
        evidencePulls: [{ headRef: 'shipgate/evidence/v1.0.0' }],
        gate: { can_deploy: true },
        deliveries: [],
      },
    ]);
    expect(different).toEqual({});
  }, 240_000);

  it('the state on GitHub decides about its gate', async () => {
    const { inOrder, different } = await changeShuffled(ORDERS, seed);
    expect(inOrder.filter(({ gate }) => 'can_deploy' in gate && gate.can_deploy === true)).toHaveLength(1);
    expect(new Set(inOrder.map((outcome) => JSON.stringify(outcome))).size).toBeGreaterThan(4);
    expect(different).toEqual({});
  }, 240_000);
});
