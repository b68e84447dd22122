import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantToApp, grantLookup, enableTenantIsolation } from './tenancy-sql.js';

/** How a person comes into a workspace, and the keys with which a person's own tools come in. */
export class CreateInvitesAndPersonalKeys1790100000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table invite (
        org_id uuid not null references organization (org_id),
        id uuid not null,
        -- For whom it is; null for whoever holds it. The login is a label, the id decides.
        person bigint,
        login text,
        role text not null check (role in ('member', 'admin')),
        created_by bigint not null,
        created_at timestamptz not null,
        expires_at timestamptz not null,
        accepted_by bigint,
        accepted_at timestamptz,
        revoked_at timestamptz,
        primary key (org_id, id)
      );
      create unique index invite_once_a_person on invite (org_id, person)
        where accepted_at is null and revoked_at is null;
      ${enableTenantIsolation('invite')}
      ${grantToApp('invite', 'read-write')}

      grant select (org_id, id) on invite to shipgate_lookup;
      create policy look_up on invite for select to shipgate_lookup using (true);

      create function find_invite(invite_id uuid)
        returns table (org_id uuid)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select i.org_id from public.invite i where i.id = invite_id;
        end;
      ${grantLookup('find_invite(uuid)')}

      create table personal_key (
        org_id uuid not null references organization (org_id),
        id uuid not null,
        person bigint not null,
        name text not null,
        prefix text not null,
        secret_hash bytea not null unique,
        scope text not null check (scope in ('read', 'write')),
        created_at timestamptz not null,
        expires_at timestamptz not null,
        revoked_at timestamptz,
        last_used_at timestamptz,
        primary key (org_id, id)
      );
      create index personal_key_by_person on personal_key (org_id, person, created_at desc, id);
      ${enableTenantIsolation('personal_key')}
      ${grantToApp('personal_key', 'read-write')}

      grant select (org_id, id, person, secret_hash, scope, expires_at, revoked_at, last_used_at)
        on personal_key to shipgate_lookup;
      create policy look_up on personal_key for select to shipgate_lookup using (true);

      -- The key with its owner, and with the owner's membership as it is now: who left holds a key to nothing.
      create function find_personal_key(presented_hash bytea)
        returns table (org_id uuid, id uuid, scope text, expires_at timestamptz, revoked_at timestamptz,
          last_used_at timestamptz, person bigint, login text, name text, avatar_url text, org_login text,
          installed boolean, role text, confirmed_at timestamptz, access_observed_at timestamptz)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select k.org_id, k.id, k.scope, k.expires_at, k.revoked_at, k.last_used_at, k.person, p.login, p.name,
            p.avatar_url, o.login, o.installation_id is not null, m.role, m.confirmed_at, m.access_observed_at
          from public.personal_key k
          join public.organization o on o.org_id = k.org_id
          join public.person p on p.github_id = k.person
          left join public.member m on m.org_id = k.org_id and m.person = k.person
          where k.secret_hash = presented_hash;
        end;
      ${grantLookup('find_personal_key(bytea)')}

      -- How many live keys the person has in all workspaces together, asked in the transaction that adds one. The
      -- person is locked until it ends, so that two at once are counted one after the other.
      create function count_personal_keys(holder bigint, at timestamptz)
        returns bigint
        language plpgsql volatile security definer set search_path = pg_catalog, public
        as $$
        begin
          perform pg_advisory_xact_lock(hashtextextended('personal keys of ' || holder, 0));
          return (select count(*) from public.personal_key k
            where k.person = holder and k.revoked_at is null and k.expires_at > at);
        end $$;
      ${grantLookup('count_personal_keys(bigint, timestamptz)')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function count_personal_keys(bigint, timestamptz);
      drop function find_personal_key(bytea);
      drop function find_invite(uuid);
      drop table personal_key, invite;
    `);
  }
}
