import type { MigrationInterface, QueryRunner } from 'typeorm';
import { acrossTenants, grantToApp, enableTenantIsolation, restrictToReleaseViewer } from './tenancy-sql.js';

/** Notes of the decisions that are kept, for a table that has no notes yet, how long each is known to have held. */
export const CONFIRM_KEPT_DECISIONS = `
  -- An earlier decision is known to have held as long as it said at first: that it was found again was not kept.
  insert into gate_confirmation (org_id, release_id, decision_id, confirmed_at, open_until)
  select org_id, release_id, id, at, case when open then to_timestamp(until / 1000) end
  from (
    select d.org_id, d.release_id, d.id, d.sequence, d.at, d.open,
      (d.verdict #>> '{gate,openUntil}')::float8 as until,
      lag(d.open) over (partition by d.org_id, d.release_id order by d.sequence) as was_open
    from decision d join release r on r.org_id = d.org_id and r.id = d.release_id
    where r.shipped_at is null and r.deleted_at is null) as decided
  where open or was_open
  order by sequence;

  -- Of the last one the release's row tells when it was found last, and until when it holds.
  insert into gate_confirmation (org_id, release_id, decision_id, confirmed_at, open_until)
  select r.org_id, r.id, last.id, r.evaluated_at, r.open_until
  from release r cross join lateral (
    select d.id, d.at, d.open from decision d where d.org_id = r.org_id and d.release_id = r.id
    order by d.sequence desc limit 1) as last
  where r.shipped_at is null and r.deleted_at is null and r.open_until is not null and r.valid_until > '-infinity'
    and last.open and r.evaluated_at > last.at`;

/** Until when each decision held a gate open, so that what the gate would have answered at a past moment can be told. */
export class ConfirmDecisions1790702000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- When the verdict of this row was invalidated first and not judged since; null where it is as it was judged.
      alter table release add column invalidated_at timestamptz;

      -- Each row holds from its time until the next row of its release, and holds the gate open until open_until at most.
      create table gate_confirmation (
        org_id uuid not null,
        id bigint generated always as identity,
        release_id uuid not null,
        decision_id uuid not null,
        -- When a judgement found this decision; for one that closed the gate, since when its answer was in doubt.
        confirmed_at timestamptz not null,
        -- Null: the gate is closed.
        open_until timestamptz,
        primary key (org_id, id),
        foreign key (org_id, release_id) references release (org_id, id),
        foreign key (org_id, decision_id) references decision (org_id, id)
      );
      create index gate_confirmation_by_release on gate_confirmation (org_id, release_id, id desc);
      ${enableTenantIsolation('gate_confirmation')}
      ${grantToApp('gate_confirmation', 'append-only')}
      ${restrictToReleaseViewer('gate_confirmation')}
    `);
    await runner.query(acrossTenants(['release', 'decision', 'gate_confirmation'], CONFIRM_KEPT_DECISIONS));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table gate_confirmation;
      alter table release drop column invalidated_at;
    `);
  }
}
