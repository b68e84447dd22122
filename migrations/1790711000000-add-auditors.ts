import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantLookup } from './tenancy-sql.js';

const SESSION = 'get_session(bytea, timestamptz, timestamptz, timestamptz)';

/** A process of the version before reads the columns of the session by their names, so that an additional one does not disturb it. */
const createGetSession = (columns: { readonly returned: string; readonly selected: string }): string => `
  drop function ${SESSION};
  create function get_session(session_hash bytea, used_after timestamptz, created_after timestamptz, ahead timestamptz)
    returns table (user_id bigint, login text, name text, avatar_url text, last_seen_at timestamptz, org_id uuid,
      org_login text, role text, confirmed_at timestamptz, access_observed_at timestamptz${columns.returned})
    language sql stable security definer set search_path = pg_catalog, public
    begin atomic
      select s.user_id, u.login, u.name, u.avatar_url, s.last_seen_at, m.org_id, o.login, m.role, m.confirmed_at,
        m.access_observed_at${columns.selected}
      from public.session s
      join public.user_account u on u.github_id = s.user_id
      left join public.member m on m.org_id = s.workspace_id and m.person = s.user_id
      left join public.organization o on o.org_id = m.org_id
      where s.id_hash = session_hash and s.ended_at is null
        and public.is_session_active(s.created_at, s.last_seen_at, created_after, used_after, ahead);
    end;
  ${grantLookup(SESSION)}`;

/** A member can be an auditor, who reads the audit log without the role of an admin. */
export class AddAuditors1790711000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table member add column auditor boolean not null default false;
      grant select (auditor) on member to shipgate_lookup;
      ${createGetSession({ returned: ', auditor boolean', selected: ', m.auditor' })}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ${createGetSession({ returned: '', selected: '' })}
      alter table member drop column auditor;
    `);
  }
}
