import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A worker's transactions prove that its job is still its own by one statement, which fails where it is not. */
export class ProveJobs1790600004000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- It reads as whoever calls it. True, or an error that nothing else in the database fails with.
      create function prove_job(lock_space integer, job_id bigint, pool text, taken_at timestamptz) returns boolean
        language plpgsql volatile set search_path = pg_catalog, public as $$
        begin
          perform pg_advisory_xact_lock_shared(lock_space, hashtext(pool));
          -- By a statement of its own, which sees what was given away while the one before it waited. Postgres tells
          -- microseconds, a date of the service's none.
          perform from graphile_worker._private_jobs job where job.id = job_id and job.locked_by = pool
            and job.locked_at between taken_at - interval '2 ms' and taken_at + interval '2 ms';
          if not found then
            raise exception 'The job % is not held by %.', job_id, pool using errcode = 'SG001';
          end if;
          return true;
        end $$;
      revoke all on function prove_job(integer, bigint, text, timestamptz) from public;
      grant execute on function prove_job(integer, bigint, text, timestamptz) to shipgate_app;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function prove_job(integer, bigint, text, timestamptz)');
  }
}
