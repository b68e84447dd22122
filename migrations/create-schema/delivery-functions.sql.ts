/** The functions of webhook deliveries. */
export const DELIVERY_FUNCTIONS = `
CREATE FUNCTION public.complete_delivery(delivery_guid text, outcome text, error text, at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 UPDATE webhook_delivery SET status = complete_delivery.outcome, attempts = (webhook_delivery.attempts + 1), last_error = complete_delivery.error, finished_at = complete_delivery.at
   WHERE (webhook_delivery.guid = complete_delivery.delivery_guid);
END;

CREATE FUNCTION public.count_dead_letters(installation bigint)
 RETURNS TABLE(repository_github_id bigint, deliveries bigint)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT d.repository_github_id,
     count(*) AS count
    FROM webhook_delivery d
   WHERE ((d.status = 'dead'::text) AND (d.installation_id = count_dead_letters.installation))
   GROUP BY d.repository_github_id;
END;

CREATE FUNCTION public.count_deliveries_by_status()
 RETURNS TABLE(status text, deliveries bigint)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT d.status,
     count(*) AS count
    FROM webhook_delivery d
   GROUP BY d.status;
END;

CREATE FUNCTION public.count_missed_deliveries()
 RETURNS bigint
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT count(*) AS count
    FROM missed_delivery;
END;

CREATE FUNCTION public.delete_missed_deliveries(noted_before timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 DELETE FROM missed_delivery m
   WHERE ((m.detected_at < delete_missed_deliveries.noted_before) OR (EXISTS ( SELECT
            FROM webhook_delivery d
           WHERE (d.guid = m.guid))));
END;

CREATE FUNCTION public.delete_missed_delivery(missed_guid text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 DELETE FROM missed_delivery m
   WHERE (m.guid = delete_missed_delivery.missed_guid);
END;

CREATE FUNCTION public.delete_old_deliveries(received_before timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 DELETE FROM webhook_delivery
   WHERE ((webhook_delivery.received_at < delete_old_deliveries.received_before) AND (webhook_delivery.status = ANY (ARRAY['done'::text, 'ignored'::text])));
END;

CREATE FUNCTION public.get_delivery(delivery_guid text)
 RETURNS TABLE(event text, installation_id bigint, repository_github_id bigint, body text, status text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT d.event,
     d.installation_id,
     d.repository_github_id,
     d.body,
     d.status
    FROM webhook_delivery d
   WHERE (d.guid = get_delivery.delivery_guid);
END;

CREATE FUNCTION public.get_delivery_scan_position()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 SELECT w.scanned_until AS looked_until
    FROM delivery_scan w;
END;

CREATE FUNCTION public.insert_deliveries(guids text[], events text[], installations bigint[], repositories bigint[], moments timestamp with time zone[], bodies text[], most_waiting integer)
 RETURNS TABLE(kept_guid text, kept_later boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
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
        end $function$;

CREATE FUNCTION public.insert_missed_deliveries(guids text[], delivery_ids bigint[], at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 INSERT INTO missed_delivery (guid, delivery_id, next_redelivery_at, detected_at)  SELECT listed.guid,
             max(listed.delivery_id) AS max,
             insert_missed_deliveries.at AS at,
             insert_missed_deliveries.at AS at
            FROM UNNEST(insert_missed_deliveries.guids, insert_missed_deliveries.delivery_ids) listed(guid, delivery_id)
           WHERE (NOT (EXISTS ( SELECT
                    FROM webhook_delivery d
                   WHERE (d.guid = listed.guid))))
           GROUP BY listed.guid ON CONFLICT(guid) DO UPDATE SET delivery_id = GREATEST(missed_delivery.delivery_id, excluded.delivery_id);
END;

CREATE FUNCTION public.lease_missed_delivery(at timestamp with time zone, asked_at_most integer, first_pause interval)
 RETURNS TABLE(guid text, delivery_id bigint)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 UPDATE missed_delivery m SET redelivery_count = (m.redelivery_count + 1), next_redelivery_at = (lease_missed_delivery.at + (lease_missed_delivery.first_pause * power((2)::double precision, (m.redelivery_count)::double precision)))
   WHERE (m.guid = ( SELECT next.guid
            FROM missed_delivery next
           WHERE ((next.next_redelivery_at <= lease_missed_delivery.at) AND (next.redelivery_count < lease_missed_delivery.asked_at_most))
           ORDER BY next.next_redelivery_at, next.delivery_id
          LIMIT 1
          FOR UPDATE OF next SKIP LOCKED))
   RETURNING m.guid,
     m.delivery_id;
END;

CREATE FUNCTION public.set_delivery_scan_position(until timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
BEGIN ATOMIC
 INSERT INTO delivery_scan (scanned_until)
   VALUES (set_delivery_scan_position.until) ON CONFLICT(only_one) DO UPDATE SET scanned_until = GREATEST(delivery_scan.scanned_until, excluded.scanned_until);
END;
`;
