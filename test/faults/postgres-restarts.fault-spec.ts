import { expect, it } from '@jest/globals';
import { restartPostgres } from './postgres-restarts.js';

const RESTARTS = 25;

it('loses nothing acknowledged when the database crashes, and recovers by itself', async () => {
  const report = await restartPostgres(RESTARTS);
  process.stdout.write(`${JSON.stringify(report)}\n`);
  expect(report).toMatchObject({
    lost: [],
    doubled: 0,
    events: { missed: 0, doubled: 0 },
    deaths: [],
    ci: { uploadsLost: 0, uploadsDoubled: 0, wrong: [] },
  });
  expect(report.acknowledged).toBeGreaterThan(RESTARTS);
  expect(report.ci.putOff).toBeGreaterThan(RESTARTS);
  expect(report.ci.uploads).toBeGreaterThan(RESTARTS);
  // One line about the lost database, one about the released jobs, and one about a failure that is over at the first
  // check.
  for (const lines of report.warnings) {
    for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
    expect(lines.length).toBeLessThanOrEqual(3 * RESTARTS);
  }
});
