import { beforeAll, expect, it } from '@jest/globals';
import { BuiltService } from '../contract/built-service.js';
import { restartPostgres } from '../faults/postgres-restarts.js';

const CRASHES = 2;

beforeAll(() => BuiltService.build(), 120_000);

it('loses nothing acknowledged when the database crashes, and recovers by itself', async () => {
  const report = await restartPostgres(CRASHES);
  expect(report).toMatchObject({
    lost: [],
    doubled: 0,
    events: { missed: 0, doubled: 0 },
    deaths: [],
    ci: { uploadsLost: 0, uploadsDoubled: 0, wrong: [] },
  });
  expect(report.ci.putOff).toBeGreaterThan(0);
  // One line about the lost database, one about the released jobs, and one about a failure that is over at the first
  // check.
  for (const lines of report.warnings) {
    for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
    expect(lines.length).toBeLessThanOrEqual(3 * CRASHES);
  }
}, 120_000);
