import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantLookup } from './tenancy-sql.js';

/**
 * Deliveries that arrive in one moment are kept by one statement, and not by one for each. `receive_webhook` stays for
 * processes of the version before, which may go on beside those of this one for a while.
 */
export class ReceiveWebhooksTogether1790500000500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- The GUIDs of those that are to be processed: they are new, revive a dead letter, or were not processed yet. Each
      -- is given once. They are kept in one order, so that calls that are given the same never wait for each other in turn.
      create function receive_webhooks(guids text[], events text[], installations bigint[], repositories bigint[],
          moments timestamptz[], bodies text[])
        returns setof text
        language plpgsql security definer set search_path = pg_catalog, public
        as $$
        begin
          return query
            with kept as (
              insert into public.webhook_delivery as delivery
                (guid, event, installation_id, repository_github_id, received_at, body, status)
              select arrived.*, case when arrived.body is null then 'ignored' else 'pending' end
              from unnest(guids, events, installations, repositories, moments, bodies)
                as arrived (guid, event, installation, repository, received_at, body)
              order by arrived.guid
              on conflict (guid) do update set status = 'pending', attempts = 0, last_error = null, finished_at = null
                where delivery.status in ('dead', 'pending')
              returning delivery.guid, delivery.body is not null as is_read)
            select kept.guid from kept where kept.is_read;
        end $$;
      ${grantLookup('receive_webhooks(text[], text[], bigint[], bigint[], timestamptz[], text[])')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function receive_webhooks(text[], text[], bigint[], bigint[], timestamptz[], text[])');
  }
}
