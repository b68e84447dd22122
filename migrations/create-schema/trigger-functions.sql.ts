/** The functions of the triggers. */
export const TRIGGER_FUNCTIONS = `
CREATE FUNCTION public.assign_event_sequence()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
    declare
      number bigint;
    begin
      insert into public.event_sequence as known (org_id, last_id) values (new.org_id, 1)
        on conflict (org_id) do update set last_id = known.last_id + 1
        returning last_id into number;
      update public.event set id = number where org_id = new.org_id and entry = new.entry;
      if not found then
        raise exception 'an event was appended for a viewer who cannot read it';
      end if;
      -- Here, because the row of the sequence is locked: deletions elsewhere would wait for each other.
      delete from public.event where org_id = new.org_id and at < new.at - interval '10 minutes';
      perform pg_notify('shipgate_events', 'workspace ' || new.org_id);
      return null;
    end $function$;

CREATE FUNCTION public.count_record_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
    begin
      insert into repository_count_change (org_id, repository_id, blocked, awaiting, passing, evidenced, recorded)
      select org_id, repository_id, 0, 0, 0, 0, n
      from (select -1 as n, (old).* union all select 1, (new).*) as record where id is not null;
      return null;
    end $function$;

CREATE FUNCTION public.count_release_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
    begin
      insert into repository_count_change (org_id, repository_id, blocked, awaiting, passing, evidenced, recorded)
      select org_id, repository_id, sum(n * blocked), sum(n * awaiting), sum(n * passing), sum(n * evidenced), 0
      from (select n, org_id, repository_id,
          (shipped_at is null and cancelled_at is null and deleted_at is null and list_status = 'b')::integer as blocked,
          (shipped_at is null and cancelled_at is null and deleted_at is null and list_status = 'a')::integer as awaiting,
          (shipped_at is null and cancelled_at is null and deleted_at is null and list_status = 'p')::integer as passing,
          (evidence_at is not null)::integer as evidenced
        from (select -1 as n, (old).* union all select 1, (new).*) as release
        where id is not null) as changed
      group by org_id, repository_id;
      return null;
    end $function$;

CREATE FUNCTION public.notify_member_removal()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
        begin
          perform pg_notify('shipgate_events', 'member ' || old.org_id || ' ' || old.person);
          return null;
        end $function$;

CREATE FUNCTION public.notify_session_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
        begin
          perform pg_notify('shipgate_events', 'session ' || encode(new.id_hash, 'hex'));
          return null;
        end $function$;
`;

/** The triggers, each after its function. */
export const TRIGGERS = `
CREATE TRIGGER count_record AFTER INSERT OR DELETE ON deployment_record FOR EACH ROW EXECUTE FUNCTION count_record_change();
CREATE CONSTRAINT TRIGGER assign_event_sequence AFTER INSERT ON event DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION assign_event_sequence();
CREATE TRIGGER announce_removal AFTER DELETE ON member FOR EACH ROW EXECUTE FUNCTION notify_member_removal();
CREATE TRIGGER notify_session_change AFTER UPDATE ON session FOR EACH ROW WHEN (old.ended_at IS DISTINCT FROM new.ended_at OR old.workspace_id IS DISTINCT FROM new.workspace_id) EXECUTE FUNCTION notify_session_change();
CREATE TRIGGER count_delete AFTER DELETE ON release FOR EACH ROW EXECUTE FUNCTION count_release_change();
CREATE TRIGGER count_insert AFTER INSERT ON release FOR EACH ROW EXECUTE FUNCTION count_release_change();
CREATE TRIGGER count_update AFTER UPDATE ON release FOR EACH ROW WHEN (old.list_status IS DISTINCT FROM new.list_status OR (old.shipped_at IS NULL) IS DISTINCT FROM (new.shipped_at IS NULL) OR (old.cancelled_at IS NULL) IS DISTINCT FROM (new.cancelled_at IS NULL) OR (old.deleted_at IS NULL) IS DISTINCT FROM (new.deleted_at IS NULL) OR (old.evidence_at IS NULL) IS DISTINCT FROM (new.evidence_at IS NULL)) EXECUTE FUNCTION count_release_change();
`;
