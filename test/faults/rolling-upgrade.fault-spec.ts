import { expect, it } from '@jest/globals';
import { upgradeProcesses } from './rolling-upgrade.js';

/** Longer than two probes of the proxy and the requests that it sends in between. */
const DELAY = '1s';

it('fails no request while every process is replaced by the next version behind a proxy that follows the readiness', async () => {
  const report = await upgradeProcesses(DELAY);
  process.stdout.write(`${JSON.stringify(report)}\n`);
  expect(report).toMatchObject({
    ci: { putOff: 0, wrong: [], uploadsLost: 0, uploadsDoubled: 0 },
    failed: [],
    exitCodes: [0, 0, 0, 0, 0],
    migrated: true,
    warnings: 1,
  });
  expect(report.passed).toBeGreaterThan(100);
});

// The control: a balancer sends requests to a stopped process until its next probe.
it('fails requests if the processes stop at once', async () => {
  const { failed } = await upgradeProcesses('0s');
  process.stdout.write(`${failed.length} failed\n`);
  expect(failed).not.toEqual([]);
});
