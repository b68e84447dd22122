import { ENVIRONMENT, type Environment } from '../../src/config/environment.js';
import { scheduledJobs } from '../../src/jobs/scheduled-jobs.service.js';
import type { TestEnvironment } from '../support/test-environment.js';
import { waitUntilIdle } from './wait-until-idle.js';
import { JOB_TABLE } from '../../src/database/job-tables.js';

const MINUTE_MS = 60_000;

/** Advances the clock of the service and the due times of jobs, and enqueues the scheduled jobs of these minutes. */
export async function advanceMinutes(env: TestEnvironment, minutes: number): Promise<void> {
  const items = scheduledJobs(env.app.get<Environment>(ENVIRONMENT));
  const minuteOf = (): number => Math.floor(env.clock.now().getTime() / MINUTE_MS);
  let received = minuteOf();
  for (let passed = 0; passed < minutes; passed += 1) {
    env.clock.advance(MINUTE_MS);
    // The database clock decides when a job is due, and a test cannot move it.
    await env.asSuperuser(`update ${JOB_TABLE} set run_at = run_at - interval '1 minute'`);
    // On a busy machine more than one minute has passed by now, and each minute has its scheduled jobs.
    for (; received < minuteOf(); received += 1) {
      for (const [task, every] of Object.entries(items)) {
        if ((received + 1) % every !== 0) continue;
        await env.asSuperuser(`select graphile_worker.add_job('${task}', job_key => '${task}')`);
      }
    }
    await waitUntilIdle(env);
  }
}
