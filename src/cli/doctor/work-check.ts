import type { Database } from '../../database/database.js';
import { DeliveriesService } from '../../features/webhooks/deliveries.service.js';
import { readTasks } from '../../jobs/worker/queue-metrics.js';
import { countWorkerPools } from '../../jobs/worker/worker-heartbeat.js';
import { type CheckResult, CheckResults } from './check-result.js';

/** The limits of the alerts ShipgateIntakeLag and ShipgateJobsLate. */
const LATE_DELIVERY_SECONDS = 5 * 60;
const LATE_JOB_SECONDS = 15 * 60;
const DELIVERIES = 'process-webhook';

const work = new CheckResults('work');

const START_WORKER =
  'Start a process with ROLE=worker, or with ROLE=all. Jobs become due while the service is stopped.';
const ADD_WORKER = 'See ShipgateIntakeLag and ShipgateJobsLate in the guide for alerts.';
const REPEAT =
  'The log says why each attempt failed. See ShipgateJobsGivenUp and ShipgateDeadLetters in the guide for alerts.';

/** Checks that a worker runs, that no job waits for long, and that none failed in every attempt. */
export async function checkWork(database: Database): Promise<readonly CheckResult[]> {
  const workers = await countWorkerPools(database);
  const tasks = await readTasks(database);
  const late = tasks
    .filter(
      ({ task, oldestDueSeconds }) =>
        oldestDueSeconds > (task === DELIVERIES ? LATE_DELIVERY_SECONDS : LATE_JOB_SECONDS),
    )
    .map(({ task, oldestDueSeconds }) => {
      const minutes = Math.floor(oldestDueSeconds / 60);
      return `the oldest ${task === DELIVERIES ? 'delivery' : 'job'} (${task}) has been due for ${minutes} min`;
    })
    .toSorted();
  const failed = tasks
    .filter(({ task, givenUp }) => givenUp > 0 && task !== DELIVERIES)
    .map(({ task, givenUp }) => `jobs that failed in every attempt: ${givenUp} (${task})`)
    .toSorted();
  const dead = await new DeliveriesService(database).countDead();
  if (dead > 0) failed.push(`deliveries that failed in every attempt: ${dead}`);
  return [...describeWorkers(workers, late), ...failed.map((problem) => work.warn(problem, REPEAT))];
}

/** Without a worker it is a warning unless jobs wait, because the service may never have been started yet. */
function describeWorkers(workers: number, late: readonly string[]): readonly CheckResult[] {
  if (workers === 0) {
    if (late.length === 0) return [work.warn('no worker runs', START_WORKER)];
    return late.map((problem) => work.fail(`no worker runs, and ${problem}`, START_WORKER));
  }
  if (late.length > 0) return late.map((problem) => work.warn(problem, ADD_WORKER));
  const running = workers === 1 ? '1 worker runs' : `${workers} workers run`;
  return [work.ok(`${running}, and no job waits for long`)];
}
