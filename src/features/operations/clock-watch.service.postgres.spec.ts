import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestWorkspaceDatabase } from '../../../test/support/test-workspace-database.js';
import { Clock } from '../../config/clock.js';
import { clockDifference } from '../../database/clock-difference.js';
import type { Database } from '../../database/database.js';
import type { GitHubGateway } from '../../github/github-gateway.js';
import { GitHubClock } from '../../github/transport/github-clock.js';
import { createLineLogger } from '../../observability/logger.js';
import { Readiness } from '../../observability/readiness.js';
import { ClockWatchService } from './clock-watch.service.js';

/** The clock of a machine that is wrong by this many milliseconds. */
class OffClock extends Clock {
  constructor(public milliseconds: number) {
    super();
  }

  override system(): Date {
    return new Date(Date.now() + this.milliseconds);
  }
}

let listed: TestWorkspaceDatabase;
beforeAll(async () => {
  listed = await TestWorkspaceDatabase.open();
});
afterAll(() => listed.close());

interface Watched {
  readonly clock: OffClock;
  readonly gitHubClock: GitHubClock;
  readonly watch: ClockWatchService;
  readonly readiness: Readiness;
  readonly lines: readonly string[];
}

async function watched(milliseconds: number): Promise<Watched> {
  const clock = new OffClock(milliseconds);
  const readiness = new Readiness();
  const lines: string[] = [];
  const log = createLineLogger('info', { write: (line) => void lines.push(line) });
  const gitHubClock = new GitHubClock();
  const github = { clock: gitHubClock } as GitHubGateway;
  const watch = new ClockWatchService(listed.database, github, clock, readiness, log);
  await watch.onModuleInit();
  watch.onModuleDestroy();
  return { clock, gitHubClock, watch, readiness, lines };
}

const offBy = (clock: Clock): number => Math.abs(clock.now().getTime() - Date.now());

describe('the clock of a process', () => {
  it.each([
    [-600_000, ['clock']],
    [600_000, ['clock']],
    [-3_000, []],
    [3_000, []],
  ])('follows the database clock if it is %i ms off, and logs it', async (milliseconds, failing) => {
    const { clock, readiness, lines } = await watched(milliseconds);
    expect(offBy(clock)).toBeLessThan(500);
    expect(await readiness.findFailures()).toEqual(failing);
    expect(lines.filter((line) => line.includes("differs from the database's"))).toHaveLength(1);
  });

  it('is not changed if it agrees', async () => {
    const { clock, readiness, lines } = await watched(0);
    expect(clock.now().getTime() - clock.system().getTime()).toBeLessThanOrEqual(0);
    expect(await readiness.findFailures()).toEqual([]);
    expect(lines).toEqual([]);
  });

  it('is ready again after it was corrected, and logs each change once', async () => {
    const { clock, watch, readiness, lines } = await watched(0);
    clock.milliseconds = -60_000;
    await watch.compare();
    await watch.compare();
    expect(await readiness.findFailures()).toEqual(['clock']);
    clock.milliseconds = 0;
    await watch.compare();
    expect(await readiness.findFailures()).toEqual([]);
    expect(offBy(clock)).toBeLessThan(500);
    expect(lines).toHaveLength(2);
  });

  it('is right again soon after the clock of the machine is set an hour ahead, and logs it once', async () => {
    const { clock, watch, readiness, lines } = await watched(0);
    clock.milliseconds = 3_600_000;
    // The machine may have been suspended for an hour. Then no earlier fact is fresh.
    expect(clock.now().getTime()).toBeGreaterThan(Date.now() + 3_500_000);
    expect(clock.isCertain()).toBe(false);
    // The clock may have been set by mistake. Then a fact that is read now must not seem to be from the future.
    expect(Math.abs(clock.earliestNow().getTime() - Date.now())).toBeLessThan(500);
    await watch.compareIfDue();
    await watch.compareIfDue();
    expect(clock.isCertain()).toBe(true);
    expect(offBy(clock)).toBeLessThan(500);
    expect(await readiness.findFailures()).toEqual(['clock']);
    expect(lines).toEqual([expect.stringContaining('"level":"error"')]);
  });

  it('is compared again if the clock of the machine is set during the comparison', async () => {
    const { clock } = await watched(0);
    const query = (async (statement: string) => {
      clock.milliseconds = 3_600_000;
      return listed.database.pool.query(statement);
    }) as unknown as Database['pool']['query'];
    const difference = await clockDifference({ pool: { query } as Database['pool'] }, () => clock.system());
    expect(Math.abs(difference + 3_600_000)).toBeLessThan(500);
  });

  it('stays right if the clock of the machine is set an hour back', async () => {
    const { clock } = await watched(0);
    clock.milliseconds = -3_600_000;
    expect(offBy(clock)).toBeLessThan(500);
  });

  it.each([
    [20_000, true],
    [-20_000, true],
    [3_600_000, false],
    [-3_600_000, false],
  ])('is compared with that of GitHub, which is %i ms ahead', async (ahead, isReady) => {
    const { clock, gitHubClock, watch, readiness, lines } = await watched(0);
    const answer = (difference: number): void => {
      const now = clock.now();
      gitHubClock.update(new Date(now.getTime() + difference).toUTCString(), now, now);
    };
    answer(ahead);
    await watch.compare();
    await watch.compare();
    expect(await readiness.findFailures()).toEqual(isReady ? [] : ['clock']);
    expect(lines).toEqual(
      isReady ? [] : [expect.stringMatching(/"level":"error","time":".*"seconds":-?3(599|600).*GitHub's/)],
    );
    answer(0);
    await watch.compare();
    expect(await readiness.findFailures()).toEqual([]);
    expect(lines).toHaveLength(isReady ? 0 : 2);
  });
});
