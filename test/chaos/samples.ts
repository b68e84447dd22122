import { readdirSync, readFileSync } from 'node:fs';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { JOB_TABLE } from '../../src/database/job-tables.js';
import { timersFile } from './service-processes.js';

/** The values of one measure, in the order of time. */
export interface Series {
  readonly name: string;
  readonly values: readonly number[];
  readonly flat: Flatness;
}

export type Flatness = 'flat' | 'grows' | 'too short' | 'not judged';

/** Fewer samples prove nothing, because the memory of a new process grows, and so do its caches. */
const LEAST_SAMPLES = 80;
/** The end may be higher than the second quarter by this factor, and by this number for small values. */
const FACTOR = 1.2;
const SLACK = 10;

/** Compares the medians of the second and the last quarter. The first quarter is the time to warm up. */
export function findFlatness(values: readonly number[]): Flatness {
  if (values.length < LEAST_SAMPLES) return 'too short';
  const quarter = Math.floor(values.length / 4);
  const before = median(values.slice(quarter, 2 * quarter));
  return median(values.slice(-quarter)) > before * FACTOR + SLACK ? 'grows' : 'flat';
}

export const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

/**
 * Rows that exist only for a while. Rows that the service stores for years are no leak, nor are those that it deletes after an hour or later:
 * hints, and failed jobs that a new one replaced.
 */
const PASSING_ROWS = {
  'waiting jobs': `select count(*) from ${JOB_TABLE} where not (attempts >= max_attempts and key is null)`,
  'deliveries in work': `select count(*) from webhook_delivery where status not in ('done', 'ignored')`,
  // An event deletes those of its workspace that are ten minutes older, so the number of the others follows the load.
  'events kept too long': `select count(*) from event where at < now() - interval '11 minutes'`,
  'rows of rate_limit_window': 'select count(*) from rate_limit_window',
  'rows of scope_lock': 'select count(*) from scope_lock',
  'rows of repository_token': 'select count(*) from repository_token',
  connections: `select count(*) from pg_stat_activity where usename = 'shipgate_app'`,
  'idle transactions': `select count(*) from pg_stat_activity
    where usename = 'shipgate_app' and state like 'idle in transaction%' and state_change < now() - interval '20 s'`,
};

const STATEMENT = `select ${Object.entries(PASSING_ROWS)
  .map(([name, count]) => `(${count})::int as "${name}"`)
  .join(', ')}`;

/** Measures the processes and the database repeatedly. */
export class Samples {
  private readonly series = new Map<string, number[]>();

  /** `restarted` are the processes that are killed repeatedly. Their memory proves nothing. */
  constructor(
    private readonly folder: string,
    private readonly restarted: ReadonlySet<string>,
  ) {}

  async take(pids: ReadonlyMap<string, number>, superuserUrl: string): Promise<void> {
    for (const [name, pid] of pids) this.takeProcess(name, pid);
    this.add('temporary files', readdirSync(this.folder).filter((file) => !/\.(?:clock|timers)$/.test(file)).length);
    // The server may be unavailable at the moment.
    const row = await withDedicatedClient(superuserUrl, async (client) => {
      const { rows } = await client.query<Record<string, number>>(STATEMENT);
      return rows[0] ?? {};
    }).catch(() => ({}));
    for (const [name, value] of Object.entries(row)) this.add(name, value);
  }

  list(): readonly Series[] {
    return [...this.series].map(([name, values]) => ({
      name,
      values,
      flat: this.restarted.has(name.split(' ')[0] ?? '') ? 'not judged' : findFlatness(values),
    }));
  }

  private takeProcess(name: string, pid: number): void {
    try {
      const memory = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      this.add(`${name} memory in MB`, Math.round(Number(memory) / 1024));
      this.add(`${name} open files`, readdirSync(`/proc/${pid}/fd`).length);
      this.add(`${name} timers`, Number(readFileSync(timersFile(this.folder, name), 'utf8')));
    } catch {
      // It ended in the meantime.
    }
  }

  private add(name: string, value: number): void {
    const values = this.series.get(name);
    if (values) values.push(value);
    else this.series.set(name, [value]);
  }
}
