import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantLookup } from './tenancy-sql.js';

/** People who are signed in when their organization becomes known are found, and their sessions enter it. */
export class FindSignedInPeople1790705000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function list_signed_in_people(used_after timestamptz, created_after timestamptz, ahead timestamptz)
        returns table (github_id bigint, login text, name text, avatar_url text)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select p.github_id, p.login, p.name, p.avatar_url from public.person p
          where exists (
            select from public.session s where s.person = p.github_id and s.ended_at is null
              and public.session_lives(s.created_at, s.last_seen_at, created_after, used_after, ahead))
          order by p.github_id;
        end;
      ${grantLookup('list_signed_in_people(timestamptz, timestamptz, timestamptz)')}

      -- Those of the person's sessions that work in no workspace yet.
      create function enter_first_workspace(holder bigint, selected uuid)
        returns void
        language sql security definer set search_path = pg_catalog, public
        begin atomic
          update public.session set workspace = selected
          where person = holder and ended_at is null and workspace is null;
        end;
      ${grantLookup('enter_first_workspace(bigint, uuid)')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function enter_first_workspace(bigint, uuid);
      drop function list_signed_in_people(timestamptz, timestamptz, timestamptz);
    `);
  }
}
