import type { MigrationInterface, QueryRunner } from 'typeorm';
import { acrossTenants, grantToApp, enableTenantIsolation, restrictToReleaseViewer } from './tenancy-sql.js';

/** Notes the promotions that were sent, for a table that has no notes yet. */
export const NOTE_KEPT_PROMOTIONS = `
  -- Until now it was sent without a note: whose gate was open in DEPLOYMENT counts as sent, and is not sent again.
  insert into promotion (org_id, release_id, candidate_sha, candidate_shas, claimed_at, outcome)
  select distinct on (d.org_id, d.release_id, d.candidate_sha) d.org_id, d.release_id, d.candidate_sha,
    array(select jsonb_array_elements_text(d.verdict -> 'candidateShas')), d.at, 'sent'
  from decision d join release r on r.org_id = d.org_id and r.id = d.release_id
  where r.shipped_at is null and r.deleted_at is null and d.open and d.candidate_sha is not null
    and d.verdict ->> 'stage' = 'DEPLOYMENT' and d.verdict ->> 'promotion' = 'auto'
  order by d.org_id, d.release_id, d.candidate_sha, d.sequence desc`;

/** Which candidates the service has set deployments of off, so that it does so once for each. */
export class PromoteOnce1790702000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table promotion (
        org_id uuid not null,
        release_id uuid not null,
        candidate_sha text not null,
        -- Every commit that is the same candidate.
        candidate_shas text[] not null,
        -- Written before the host is asked: from then on nobody else asks it.
        claimed_at timestamptz not null,
        -- Whether the host took it, or nobody knows; null while it is asked, and where that was broken off.
        outcome text check (outcome in ('sent', 'unknown')),
        primary key (org_id, release_id, candidate_sha),
        foreign key (org_id, release_id) references release (org_id, id)
      );
      ${enableTenantIsolation('promotion')}
      ${grantToApp('promotion', 'read-write')}
      ${restrictToReleaseViewer('promotion')}
    `);
    await runner.query(acrossTenants(['release', 'decision', 'promotion'], NOTE_KEPT_PROMOTIONS));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table promotion');
  }
}
