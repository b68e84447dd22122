import { beforeAll, expect, it } from '@jest/globals';
import { BuiltService } from '../contract/built-service.js';
import { restartProcesses } from '../faults/process-restarts.js';

const RESTARTS = 2;
const EXIT_WITHIN_MS = 25_000;

beforeAll(() => BuiltService.build(), 120_000);

it('loses nothing and does everything once when processes are stopped under load', async () => {
  const report = await restartProcesses(RESTARTS);
  expect(report).toMatchObject({
    lost: [],
    doubled: 0,
    cut: [],
    events: [
      { missed: 0, doubled: 0 },
      { missed: 0, doubled: 0 },
    ],
    ci: { uploadsLost: 0, uploadsDoubled: 0, wrong: [] },
    schedulesRun: report.schedulesDue,
    hasSearched: true,
    exitCodes: Array.from({ length: RESTARTS }, () => 0),
  });
  expect(report.longestExitMs).toBeLessThan(EXIT_WITHIN_MS);
}, 180_000);
