import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantLookup } from './tenancy-sql.js';

/**
 * Deliveries that the code host made and that the inbox does not hold. Like the inbox they have no tenant: the host lists
 * them for the app as a whole.
 */
export class WatchMissedDeliveries1790200002000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table missed_delivery (
        guid text primary key,
        -- The host's number of its last attempt, by which it is asked for another one.
        delivery_id bigint not null,
        asked integer not null default 0,
        ask_at timestamptz not null,
        noted_at timestamptz not null
      );
      create index missed_delivery_by_turn on missed_delivery (ask_at);
      create table delivery_watch (
        -- The host keeps one list of deliveries, so there is one row.
        only_one boolean primary key default true check (only_one),
        looked_until timestamptz not null
      );
      grant select, insert, update, delete on missed_delivery, delivery_watch to shipgate_lookup;

      -- How far the list of deliveries was looked through; null before it ever was.
      create function read_delivery_watch()
        returns timestamptz
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select w.looked_until from public.delivery_watch w;
        end;
      ${grantLookup('read_delivery_watch()')}

      create function move_delivery_watch(until timestamptz)
        returns void
        language sql security definer set search_path = pg_catalog, public
        begin atomic
          insert into public.delivery_watch (looked_until) values (until)
          on conflict (only_one) do update set looked_until = greatest(delivery_watch.looked_until, excluded.looked_until);
        end;
      ${grantLookup('move_delivery_watch(timestamptz)')}

      -- Notes those of the host's deliveries that are not in the inbox.
      create function note_missed_webhooks(guids text[], delivery_ids bigint[], at timestamptz)
        returns void
        language sql security definer set search_path = pg_catalog, public
        begin atomic
          insert into public.missed_delivery (guid, delivery_id, ask_at, noted_at)
          select listed.guid, max(listed.delivery_id), at, at
          from unnest(guids, delivery_ids) as listed (guid, delivery_id)
          where not exists (select from public.webhook_delivery d where d.guid = listed.guid)
          group by listed.guid
          on conflict (guid) do update set delivery_id = greatest(missed_delivery.delivery_id, excluded.delivery_id);
        end;
      ${grantLookup('note_missed_webhooks(text[], bigint[], timestamptz)')}

      -- Those that came meanwhile, and those that the host keeps no longer.
      create function forget_missed_webhooks(noted_before timestamptz)
        returns void
        language sql security definer set search_path = pg_catalog, public
        begin atomic
          delete from public.missed_delivery m
          where m.noted_at < noted_before or exists (select from public.webhook_delivery d where d.guid = m.guid);
        end;
      ${grantLookup('forget_missed_webhooks(timestamptz)')}

      -- The one whose turn came first, counted as asked for before it is: the pause to its next turn doubles each time.
      create function take_missed_webhook(at timestamptz, asked_at_most integer, first_pause interval)
        returns table (guid text, delivery_id bigint)
        language sql security definer set search_path = pg_catalog, public
        begin atomic
          update public.missed_delivery m
          set asked = m.asked + 1, ask_at = at + first_pause * power(2, m.asked)
          where m.guid = (
            select next.guid from public.missed_delivery next
            where next.ask_at <= at and next.asked < asked_at_most
            order by next.ask_at, next.delivery_id limit 1 for update skip locked)
          returning m.guid, m.delivery_id;
        end;
      ${grantLookup('take_missed_webhook(timestamptz, integer, interval)')}

      -- The host has it no longer: nobody asks for it again.
      create function give_up_missed_webhook(missed_guid text)
        returns void
        language sql security definer set search_path = pg_catalog, public
        begin atomic
          delete from public.missed_delivery m where m.guid = missed_guid;
        end;
      ${grantLookup('give_up_missed_webhook(text)')}

      create function count_missed_webhooks()
        returns bigint
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select count(*) from public.missed_delivery;
        end;
      ${grantLookup('count_missed_webhooks()')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function count_missed_webhooks();
      drop function give_up_missed_webhook(text);
      drop function take_missed_webhook(timestamptz, integer, interval);
      drop function forget_missed_webhooks(timestamptz);
      drop function note_missed_webhooks(text[], bigint[], timestamptz);
      drop function move_delivery_watch(timestamptz);
      drop function read_delivery_watch();
      drop table delivery_watch, missed_delivery;
    `);
  }
}
