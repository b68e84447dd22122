import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantLookup } from './tenancy-sql.js';

/**
 * The intervals of scheduled jobs, so that several processes enqueue each job once. Processes of the version before go on with the
 * schedule of the queue: while both run, a job may run twice, which every scheduled job allows.
 */
export class ScheduleJobsOnce1790708000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table scheduled_job (
        name text primary key,
        due_at timestamptz not null
      );
      grant select, insert, update on scheduled_job to shipgate_lookup;

      -- Whether the current interval of the job was free, and is the caller's now. An interval that lies more than a minute in the
      -- future was taken while the clock was wrong; less than that is a statement that began before the interval and waited.
      create function take_scheduled_interval(job_name text, every_seconds integer)
        returns boolean
        language sql security definer set search_path = pg_catalog, public
        as $$
          with taken as (
            insert into public.scheduled_job as job (name, due_at)
            values (job_name, to_timestamp(floor(extract(epoch from now()) / every_seconds) * every_seconds))
            on conflict (name) do update set due_at = excluded.due_at
              where job.due_at < excluded.due_at or job.due_at > now() + interval '1 minute'
            returning 1)
          select exists (select from taken)
        $$;
      ${grantLookup('take_scheduled_interval(text, integer)')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function take_scheduled_interval(text, integer);
      drop table scheduled_job;
    `);
  }
}
