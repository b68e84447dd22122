import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantLookup } from './tenancy-sql.js';

/**
 * Once many deliveries of an installation wait, its next ones are read after the work of others. `receive_webhooks` stays for
 * processes of the version before, which may go on beside those of this one for a while.
 */
export class TakeDeliveriesInTurn1790707000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table webhook_delivery
        -- It is read after the work of others: many of its installation waited when it came.
        add column later boolean not null default false;
      create index webhook_delivery_waiting on webhook_delivery (installation_id, later) where status = 'pending';

      -- The same as receive_webhooks, and whether each is to be read later. Who has one that is has all that follow it read later,
      -- so that none overtakes another of its repository; until none of them waits any more.
      create function receive_webhooks_in_turn(guids text[], events text[], installations bigint[], repositories bigint[],
          moments timestamptz[], bodies text[], most_waiting integer)
        returns table (kept_guid text, kept_later boolean)
        language plpgsql security definer set search_path = pg_catalog, public
        as $$
        declare
          crowded bigint[] := '{}';
          asked bigint;
        begin
          -- One installation after the other: the same asked of all in one statement takes a third longer.
          for asked in select distinct arrived.installation from unnest(installations) as arrived (installation)
              where arrived.installation is not null loop
            perform from public.webhook_delivery d
              where d.installation_id = asked and d.later and d.status = 'pending' limit 1;
            if not found then
              perform from public.webhook_delivery d
                where d.installation_id = asked and d.status = 'pending' offset most_waiting - 1 limit 1;
            end if;
            if found then
              crowded := crowded || asked;
            end if;
          end loop;
          return query
            with kept as (
              insert into public.webhook_delivery as delivery
                (guid, event, installation_id, repository_github_id, received_at, body, status, later)
              select arrived.*, case when arrived.body is null then 'ignored' else 'pending' end,
                coalesce(arrived.installation = any (crowded), false)
              from unnest(guids, events, installations, repositories, moments, bodies)
                as arrived (guid, event, installation, repository, received_at, body)
              order by arrived.guid
              on conflict (guid) do update
                set status = 'pending', attempts = 0, last_error = null, finished_at = null, later = excluded.later
                where delivery.status in ('dead', 'pending')
              returning delivery.guid, delivery.later, delivery.body is not null as is_read)
            select kept.guid, kept.later from kept where kept.is_read;
        end $$;
      ${grantLookup('receive_webhooks_in_turn(text[], text[], bigint[], bigint[], timestamptz[], text[], integer)')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function receive_webhooks_in_turn(text[], text[], bigint[], bigint[], timestamptz[], text[], integer);
      drop index webhook_delivery_waiting;
      alter table webhook_delivery drop column later;
    `);
  }
}
