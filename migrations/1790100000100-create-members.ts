import type { MigrationInterface, QueryRunner } from 'typeorm';
import {
  grantToApp,
  grantLookup,
  enableTenantIsolation,
  restrictToReleaseViewer,
  restrictToViewer,
} from './tenancy-sql.js';

/** Who belongs to a workspace, and what each of them may see of its private repositories. */
export class CreateMembers1790100000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table member (
        org_id uuid not null references organization (org_id),
        person bigint not null,
        role text not null check (role in ('member', 'admin')),
        joined_at timestamptz not null,
        -- When the code host last said that the person belongs to the organization.
        confirmed_at timestamptz not null,
        -- When something last hinted that they belong there no more: what was asked before it counts no more.
        doubted_at timestamptz,
        -- When it last said which repositories the person may read; null before it ever did, and while it is in doubt.
        access_observed_at timestamptz,
        -- Counts the hints that it says otherwise now: what was asked before the last of them counts no more.
        access_doubts integer not null default 0,
        primary key (org_id, person)
      );
      ${enableTenantIsolation('member')}
      ${grantToApp('member', 'read-write')}

      -- Private repositories that the code host lets the person read, by the host's own ids: it may name one before the
      -- service has seen it.
      create table repository_access (
        org_id uuid not null,
        person bigint not null,
        repository_github_id bigint not null,
        primary key (org_id, person, repository_github_id),
        foreign key (org_id, person) references member (org_id, person) on delete cascade
      );
      ${enableTenantIsolation('repository_access')}
      ${grantToApp('repository_access', 'read-write')}

      -- Where a transaction is a person's, row-level security hides private repositories that the person may not read,
      -- and all that belongs to them: no list, count or export can forget to. The service's own work has no viewer.
      create policy viewer on repository as restrictive for select to shipgate_app using (
        nullif(current_setting('app.viewer', true), '') is null or not private or github_id in (
          select a.repository_github_id from repository_access a
          where a.person = nullif(current_setting('app.viewer', true), '')::bigint));
      ${['release', 'ignored_milestone', 'observation', 'evidence', 'evidence_pull', 'deployment', 'history_record']
        .map(restrictToViewer)
        .join('')}
      ${['stage_transition', 'decision'].map(restrictToReleaseViewer).join('')}
      create policy viewer on evidence_report as restrictive for select to shipgate_app using (
        nullif(current_setting('app.viewer', true), '') is null or exists (
          select from evidence e where e.org_id = evidence_report.org_id and e.id = evidence_report.evidence_id));

      grant select (org_id, person, role, confirmed_at, access_observed_at) on member to shipgate_lookup;
      create policy look_up on member for select to shipgate_lookup using (true);

      create function list_workspaces_of(holder bigint)
        returns table (org_id uuid, login text, role text, installed boolean)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select m.org_id, o.login, m.role, o.installation_id is not null and o.suspended_at is null
          from public.member m join public.organization o on o.org_id = m.org_id
          where m.person = holder
          order by lower(o.login), m.org_id;
        end;
      ${grantLookup('list_workspaces_of(bigint)')}

      create function find_organizations_by_owners(owner_github_ids bigint[])
        returns table (org_id uuid, github_id bigint)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select o.org_id, o.github_id from public.organization o where o.github_id = any (owner_github_ids);
        end;
      ${grantLookup('find_organizations_by_owners(bigint[])')}

      -- Whether a session lives by its times, of which one from that moment on was written by a clock that was wrong:
      -- then it was last used when it began, or if even that has not come, never began.
      create function session_lives(began timestamptz, used timestamptz, began_after timestamptz, used_after timestamptz,
          ahead timestamptz)
        returns boolean
        language sql immutable set search_path = pg_catalog, public
        begin atomic
          select began > began_after and began < ahead and case when used < ahead then used else began end > used_after;
        end;

      ${grantLookup('session_lives(timestamptz, timestamptz, timestamptz, timestamptz, timestamptz)')}

      -- Which of these people have a live session.
      create function list_people_in_session(people bigint[], used_after timestamptz, created_after timestamptz,
          ahead timestamptz)
        returns table (person bigint)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select distinct s.person from public.session s
          where s.person = any (people) and s.ended_at is null
            and public.session_lives(s.created_at, s.last_seen_at, created_after, used_after, ahead);
        end;
      ${grantLookup('list_people_in_session(bigint[], timestamptz, timestamptz, timestamptz)')}

      -- A live session with its person, and with its workspace as far as the person is still a member of it.
      create function read_session(session_hash bytea, used_after timestamptz, created_after timestamptz,
          ahead timestamptz)
        returns table (person bigint, login text, name text, avatar_url text, last_seen_at timestamptz, org_id uuid, org_login text, role text, confirmed_at timestamptz,
          access_observed_at timestamptz)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select s.person, p.login, p.name, p.avatar_url, s.last_seen_at,
            m.org_id, o.login, m.role, m.confirmed_at, m.access_observed_at
          from public.session s
          join public.person p on p.github_id = s.person
          left join public.member m on m.org_id = s.workspace and m.person = s.person
          left join public.organization o on o.org_id = m.org_id
          where s.id_hash = session_hash and s.ended_at is null
            and public.session_lives(s.created_at, s.last_seen_at, created_after, used_after, ahead);
        end;
      ${grantLookup('read_session(bytea, timestamptz, timestamptz, timestamptz)')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    const viewed = [
      'evidence_report',
      'decision',
      'stage_transition',
      'history_record',
      'deployment',
      'evidence_pull',
      'evidence',
      'observation',
      'ignored_milestone',
      'release',
      'repository',
    ];
    await runner.query(`
      drop function read_session(bytea, timestamptz, timestamptz, timestamptz);
      drop function list_people_in_session(bigint[], timestamptz, timestamptz, timestamptz);
      drop function session_lives(timestamptz, timestamptz, timestamptz, timestamptz, timestamptz);
      drop function find_organizations_by_owners(bigint[]);
      drop function list_workspaces_of(bigint);
      ${viewed.map((table) => `drop policy viewer on ${table};`).join('\n      ')}
      drop table repository_access, member;
    `);
  }
}
