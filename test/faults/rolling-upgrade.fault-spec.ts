import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTestDatabase } from '../support/database.js';
import { NextVersion } from './next-version.js';
import { NOTHING_FAILED, SHUTDOWN_DELAY, upgradeProcesses, type UpgradeReport } from './rolling-upgrade.js';

let next: NextVersion;
beforeAll(() => {
  next = new NextVersion();
});
afterAll(() => next.remove());

const upgrade = async (shutdownDelay: string): Promise<UpgradeReport> =>
  upgradeProcesses(await createTestDatabase(), { from: '.', next, shutdownDelay });

it('fails no request while every process is replaced by the next version behind a proxy that follows the readiness', async () => {
  const report = await upgrade(SHUTDOWN_DELAY);
  process.stdout.write(`${JSON.stringify(report)}\n`);
  expect(report).toMatchObject({ ...NOTHING_FAILED, migrated: { before: false, after: true }, warnings: 1 });
  expect(report.passed).toBeGreaterThan(100);
});

// The control: a balancer sends requests to a stopped process until its next probe.
it('fails requests if the processes stop at once', async () => {
  const { failed } = await upgrade('0s');
  process.stdout.write(`${failed.length} failed\n`);
  expect(failed).not.toEqual([]);
});
