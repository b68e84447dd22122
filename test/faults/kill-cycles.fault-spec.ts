import { expect, it } from '@jest/globals';
import { killService, killWithoutInbox } from './kill-cycles.js';

const CYCLES = 100;

it('nothing acknowledged is lost or done twice, however often a process is killed', async () => {
  const [shipgate, control] = [await killService(CYCLES), await killWithoutInbox(CYCLES)];
  process.stdout.write(`${JSON.stringify({ cycles: CYCLES, shipgate, control })}\n`);
  expect(shipgate).toMatchObject({ lost: 0, doubled: 0 });
  expect(shipgate.acknowledged).toBeGreaterThan(CYCLES);
  // Without an inbox some are lost. Otherwise the test would prove nothing.
  expect(control.lost).toBeGreaterThan(0);
});
