import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantToApp, enableTenantIsolation } from './tenancy-sql.js';

/** What streams tell of a workspace, kept for as long as one that was cut off may ask for it again. */
export class CreateEvents1790200001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table event_count (
        org_id uuid not null references organization (org_id) primary key,
        last_id bigint not null
      );
      ${enableTenantIsolation('event_count')}
      ${grantToApp('event_count', 'read-write')}

      create table event (
        org_id uuid not null references organization (org_id),
        entry bigint generated always as identity,
        -- Its place among the workspace's events. Given by the commit, so nobody ever sees a row without one.
        id bigint,
        type text not null check (type in ('sync.started', 'sync.progress', 'sync.completed', 'sync.failed',
          'release.updated', 'review.updated', 'repo.updated', 'evidence.received')),
        repository_id uuid,
        release_id uuid,
        at timestamptz not null,
        primary key (org_id, entry),
        unique (org_id, id),
        foreign key (org_id, repository_id) references repository (org_id, id),
        foreign key (org_id, release_id) references release (org_id, id)
      );
      create index event_by_time on event (org_id, at);
      ${enableTenantIsolation('event')}
      ${grantToApp('event', 'read-write')}
      -- What belongs to no repository concerns the workspace as a whole, and everybody in it.
      create policy viewer on event as restrictive for select to shipgate_app using (
        nullif(current_setting('app.viewer', true), '') is null or repository_id is null
        or repository_id in (select r.id from repository r));

      -- Runs as the last thing before a commit. The row of the count is locked until that commit is done, so a
      -- workspace's events become visible in the order of their ids: whoever has seen one has been able to see every
      -- smaller one. A number that were drawn earlier, as by a sequence at the insert, could appear after a larger one,
      -- and be missed for good by a reader that went on from there. Nothing is waited for behind this lock, so it can be
      -- part of no deadlock; commits of the same workspace that tell something go one after the other.
      create function number_event() returns trigger
        language plpgsql set search_path = pg_catalog, public
        as $$
        declare
          number bigint;
        begin
          insert into public.event_count as known (org_id, last_id) values (new.org_id, 1)
            on conflict (org_id) do update set last_id = known.last_id + 1
            returning last_id into number;
          update public.event set id = number where org_id = new.org_id and entry = new.entry;
          if not found then
            raise exception 'an event was told through the eyes of a viewer who may not see it';
          end if;
          -- Here, because nobody else of the workspace is at it: deletions elsewhere would wait for each other.
          delete from public.event where org_id = new.org_id and at < new.at - interval '10 minutes';
          perform pg_notify('shipgate_events', 'workspace ' || new.org_id);
          return null;
        end $$;
      revoke all on function number_event() from public;
      create constraint trigger number_event after insert on event
        deferrable initially deferred for each row execute function number_event();

      -- A stream ends with what it rests on, in whatever process it is served.
      create function announce_session() returns trigger
        language plpgsql set search_path = pg_catalog, public
        as $$
        begin
          perform pg_notify('shipgate_events', 'session ' || encode(new.id_hash, 'hex'));
          return null;
        end $$;
      revoke all on function announce_session() from public;
      create trigger announce_session after update on session for each row
        when (old.ended_at is distinct from new.ended_at or old.workspace is distinct from new.workspace)
        execute function announce_session();

      create function announce_removal() returns trigger
        language plpgsql set search_path = pg_catalog, public
        as $$
        begin
          perform pg_notify('shipgate_events', 'member ' || old.org_id || ' ' || old.person);
          return null;
        end $$;
      revoke all on function announce_removal() from public;
      create trigger announce_removal after delete on member for each row execute function announce_removal();
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop trigger announce_removal on member;
      drop trigger announce_session on session;
      drop table event, event_count;
      drop function announce_removal();
      drop function announce_session();
      drop function number_event();
    `);
  }
}
