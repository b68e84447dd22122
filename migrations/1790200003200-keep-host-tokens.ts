import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantToApp, grantLookup, enableTenantIsolation } from './tenancy-sql.js';

/** People's tokens for the code host, each for one repository and for an hour at most. */
export class KeepHostTokens1790200003200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table host_token (
        org_id uuid not null,
        repository_id uuid not null,
        -- The token under a key of its own, and that key under the service's; both open for this row alone.
        sealed_token text not null,
        sealed_key text not null,
        received_at timestamptz not null,
        primary key (org_id, repository_id),
        foreign key (org_id, repository_id) references repository (org_id, id)
      );
      ${enableTenantIsolation('host_token')}
      ${grantToApp('host_token', 'read-write')}

      grant select (org_id, received_at) on host_token to shipgate_lookup;
      create policy look_up on host_token for select to shipgate_lookup using (true);

      -- The workspaces that hold a token which was received then or before.
      create function list_holders_of_host_tokens(received timestamptz)
        returns table (org_id uuid)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select distinct t.org_id from public.host_token t where t.received_at <= received;
        end;
      ${grantLookup('list_holders_of_host_tokens(timestamptz)')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function list_holders_of_host_tokens(timestamptz);
      drop table host_token;
    `);
  }
}
