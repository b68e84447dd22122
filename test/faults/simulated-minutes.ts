import { ENVIRONMENT, type Environment } from '../../src/config/environment.js';
import { scheduledJobs } from '../../src/jobs/scheduled-jobs.service.js';
import type { TestEnvironment } from '../support/world.js';
import { waitUntilIdle } from './patience.js';

const MINUTE_MS = 60_000;

/** Lets minutes pass, for the service's clock and for the database's, and does what the schedule does in them. */
export async function advanceMinutes(world: TestEnvironment, minutes: number): Promise<void> {
  const items = scheduledJobs(world.app.get<Environment>(ENVIRONMENT));
  const minuteOf = (): number => Math.floor(world.clock.now().getTime() / MINUTE_MS);
  let told = minuteOf();
  for (let passed = 0; passed < minutes; passed += 1) {
    world.clock.advance(MINUTE_MS);
    // When a job is due is told by the database's own clock, which nobody can put forward.
    await world.asSuperuser(`update graphile_worker._private_jobs set run_at = run_at - interval '1 minute'`);
    // On a busy machine more than one minute has passed by now, and the schedule leaves none out.
    for (; told < minuteOf(); told += 1) {
      for (const [task, every] of Object.entries(items)) {
        if ((told + 1) % every !== 0) continue;
        await world.asSuperuser(`select graphile_worker.add_job('${task}', job_key => '${task}')`);
      }
    }
    await waitUntilIdle(world);
  }
}
