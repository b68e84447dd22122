import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantLookup } from './tenancy-sql.js';

/**
 * Deliveries of the code host, kept before they are acknowledged. Whose they are is known only once they were read, so
 * the table has no tenant; the service's role reaches it through these functions alone, one delivery at a time.
 */
export class CreateWebhookInbox1790000000400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table webhook_delivery (
        guid text primary key,
        event text not null,
        installation_id bigint,
        repository_github_id bigint,
        -- Null for a delivery that is only remembered: ignored, or too large to be read.
        body text,
        status text not null check (status in ('pending', 'done', 'ignored', 'dead')),
        attempts integer not null default 0,
        last_error text,
        received_at timestamptz not null,
        finished_at timestamptz
      );
      create index webhook_delivery_by_status on webhook_delivery (status, received_at);
      grant select, insert, update, delete on webhook_delivery to shipgate_lookup;

      -- True where the delivery is to be processed: it is new, revives a dead letter, or was not processed yet, as when
      -- the process ended at its last try. False where it was processed before.
      create function receive_webhook(delivery_guid text, delivery_event text, installation bigint, repository bigint,
          delivery_body text, at timestamptz)
        returns boolean
        language plpgsql security definer set search_path = pg_catalog, public
        as $$
        begin
          insert into public.webhook_delivery
            (guid, event, installation_id, repository_github_id, body, status, received_at)
          values (delivery_guid, delivery_event, installation, repository, delivery_body,
            case when delivery_body is null then 'ignored' else 'pending' end, at)
          on conflict (guid) do update set status = 'pending', attempts = 0, last_error = null, finished_at = null
            where webhook_delivery.status in ('dead', 'pending');
          return found and delivery_body is not null;
        end $$;
      ${grantLookup('receive_webhook(text, text, bigint, bigint, text, timestamptz)')}

      create function read_webhook(delivery_guid text)
        returns table (event text, installation_id bigint, repository_github_id bigint, body text, status text)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select d.event, d.installation_id, d.repository_github_id, d.body, d.status
          from public.webhook_delivery d where d.guid = delivery_guid;
        end;
      ${grantLookup('read_webhook(text)')}

      create function finish_webhook(delivery_guid text, outcome text, error text, at timestamptz)
        returns void
        language sql security definer set search_path = pg_catalog, public
        begin atomic
          update public.webhook_delivery
          set status = outcome, attempts = attempts + 1, last_error = error, finished_at = at
          where guid = delivery_guid;
        end;
      ${grantLookup('finish_webhook(text, text, text, timestamptz)')}

      create function count_webhooks()
        returns table (status text, deliveries bigint)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select d.status, count(*) from public.webhook_delivery d group by d.status;
        end;
      ${grantLookup('count_webhooks()')}

      create function forget_webhooks(received_before timestamptz)
        returns void
        language sql security definer set search_path = pg_catalog, public
        begin atomic
          delete from public.webhook_delivery
          where received_at < received_before and webhook_delivery.status in ('done', 'ignored');
        end;
      ${grantLookup('forget_webhooks(timestamptz)')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function forget_webhooks(timestamptz);
      drop function count_webhooks();
      drop function finish_webhook(text, text, text, timestamptz);
      drop function read_webhook(text);
      drop function receive_webhook(text, text, bigint, bigint, text, timestamptz);
      drop table webhook_delivery;
    `);
  }
}
