import { beforeAll, expect, it } from '@jest/globals';
import { BuiltService } from '../contract/built-service.js';
import { restartPostgres } from '../faults/postgres-restarts.js';

beforeAll(() => BuiltService.build(), 120_000);

it('loses nothing acknowledged when the database crashes, and recovers by itself', async () => {
  const report = await restartPostgres(2);
  expect(report).toMatchObject({
    lost: [],
    doubled: 0,
    events: { missed: 0, doubled: 0 },
    deaths: 0,
    ci: { uploadsLost: 0, uploadsDoubled: 0, wrong: [] },
  });
  expect(report.ci.putOff).toBeGreaterThan(0);
}, 120_000);
