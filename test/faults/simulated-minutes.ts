import { ENVIRONMENT, type Environment } from '../../src/config/environment.js';
import { schedule } from '../../src/features/sync/schedule.js';
import type { World } from '../support/world.js';
import { untilAtRest } from './patience.js';

const MINUTE_MS = 60_000;

/** Lets minutes pass, for the service's clock and for the database's, and does what the schedule does in them. */
export async function letPass(world: World, minutes: number): Promise<void> {
  const items = schedule(world.app.get<Environment>(ENVIRONMENT));
  for (let passed = 0; passed < minutes; passed += 1) {
    world.clock.advance(MINUTE_MS);
    // When a job is due is told by the database's own clock, which nobody can put forward.
    await world.asSuperuser(`update graphile_worker._private_jobs set run_at = run_at - interval '1 minute'`);
    const now = world.clock.now();
    const at = { min: now.getUTCMinutes(), hour: now.getUTCHours() };
    for (const { task, match } of items) {
      if (typeof match === 'function' && match({ ...at, date: 1, month: 1, dow: 1 })) {
        await world.asSuperuser(`select graphile_worker.add_job('${task}', job_key => '${task}')`);
      }
    }
    await untilAtRest(world);
  }
}
