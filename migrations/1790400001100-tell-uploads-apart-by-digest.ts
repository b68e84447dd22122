import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Tells the uploads of a run apart whatever they are called: an entry of an index holds 2.7 kB, and a job that is named
 * after its files, or the address of a run, may be longer.
 */
export class TellUploadsApartByDigest1790400001100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop index evidence_once_a_job;
      create unique index evidence_once_a_job on evidence
        (org_id, release_id, md5(run_id), run_attempt, md5(job), md5(pipeline), sha256) where run_id is not null;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop index evidence_once_a_job;
      create unique index evidence_once_a_job on evidence
        (org_id, release_id, run_id, run_attempt, job, pipeline, sha256) where run_id is not null;
    `);
  }
}
