import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantToApp, grantLookup, enableTenantIsolation } from './tenancy-sql.js';

/** Requests for the pro plan, and what a platform admin, who belongs to no workspace, may know of them. */
export class CreateUpgradeRequests1790100000300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table upgrade_request (
        org_id uuid not null references organization (org_id),
        id uuid not null,
        status text not null check (status in ('open', 'approved', 'rejected', 'withdrawn')),
        note text,
        requested_by bigint not null,
        requested_at timestamptz not null,
        decided_by bigint,
        decided_at timestamptz,
        payment_reference text,
        reason text,
        primary key (org_id, id)
      );
      create unique index upgrade_request_open_once on upgrade_request (org_id) where status = 'open';
      ${enableTenantIsolation('upgrade_request')}
      ${grantToApp('upgrade_request', 'read-write')}

      grant select on upgrade_request to shipgate_lookup;
      create policy look_up on upgrade_request for select to shipgate_lookup using (true);

      -- The newest first, from after the given one on; a null status is every status.
      create function list_upgrade_requests(wanted_status text, after_time timestamptz, after_id uuid, at_most integer,
          skipped bigint)
        returns table (login text, id uuid, status text, note text, requested_by bigint, requested_at timestamptz,
          decided_at timestamptz, payment_reference text, reason text)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select o.login, u.id, u.status, u.note, u.requested_by, u.requested_at, u.decided_at, u.payment_reference,
            u.reason
          from public.upgrade_request u join public.organization o on o.org_id = u.org_id
          where (wanted_status is null or u.status = wanted_status)
            and (after_time is null or u.requested_at < after_time
              or u.requested_at = after_time and u.id > after_id)
          order by u.requested_at desc, u.id limit at_most offset skipped;
        end;
      ${grantLookup('list_upgrade_requests(text, timestamptz, uuid, integer, bigint)')}

      create function count_upgrade_requests(wanted_status text)
        returns bigint
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select count(*) from public.upgrade_request u where wanted_status is null or u.status = wanted_status;
        end;
      ${grantLookup('count_upgrade_requests(text)')}

      create function find_upgrade_request(request_id uuid)
        returns table (org_id uuid)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select u.org_id from public.upgrade_request u where u.id = request_id;
        end;
      ${grantLookup('find_upgrade_request(uuid)')}

      -- A login is a label: after a rename two rows may bear it for a while, and then both are answered. An organization
      -- that the app left answers to its last login only as long as no other one has it.
      create function find_organizations_by_login(wanted text)
        returns table (org_id uuid)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select o.org_id from public.organization o
          where lower(o.login) = lower(wanted) and (o.installation_id is not null or not exists (
            select from public.organization other
            where lower(other.login) = lower(wanted) and other.installation_id is not null));
        end;
      ${grantLookup('find_organizations_by_login(text)')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function find_organizations_by_login(text);
      drop function find_upgrade_request(uuid);
      drop function count_upgrade_requests(text);
      drop function list_upgrade_requests(text, timestamptz, uuid, integer, bigint);
      drop table upgrade_request;
    `);
  }
}
