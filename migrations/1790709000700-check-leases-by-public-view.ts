import type { MigrationInterface, QueryRunner } from 'typeorm';

const assertJobLease = (jobs: string): string => `
  create or replace function assert_job_lease(lock_space integer, job_id bigint, pool text, taken_at timestamptz) returns boolean
    language plpgsql volatile set search_path = pg_catalog, public as $$
    begin
      perform pg_advisory_xact_lock_shared(lock_space, hashtext(pool));
      -- A separate statement, because it must see a lease that was released while the statement before it waited. Postgres stores
      -- microseconds and the service reads milliseconds.
      perform from ${jobs} job where job.id = job_id and job.locked_by = pool
        and job.locked_at between taken_at - interval '2 ms' and taken_at + interval '2 ms';
      if not found then
        raise exception 'The job % is not held by %.', job_id, pool using errcode = 'SG001';
      end if;
      return true;
    end $$`;

/** Checks the lease of a job by the public view of the job library instead of its private table. */
export class CheckLeasesByPublicView1790709000700 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(assertJobLease('graphile_worker.jobs'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(assertJobLease('graphile_worker._private_jobs'));
  }
}
