import type { MigrationInterface, QueryRunner } from 'typeorm';
import { acrossTenants, grantLookup } from './tenancy-sql.js';

/** The audit log knows which repositories an entry concerns, beside the content that its hash vouches for. */
export class AttributeAuditEntries1790705000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- The repositories that an entry concerns, by what it says: by their ids where it has them. Else by the name that
      -- it had then, which another repository may have by now: all that may be meant. Where none is known by that name,
      -- every private one, so that only who may read them all is shown it.
      create function concerned_by_audit_entry(org uuid, said_at timestamptz, said_action text, said_subject text,
          said jsonb)
        returns uuid[]
        language sql stable set search_path = pg_catalog, public as $$
          select case
            when said ? 'repositoryId' then array[(said ->> 'repositoryId')::uuid]
            when jsonb_typeof(said -> 'repositoryIds') = 'array' then
              array(select id::uuid from jsonb_array_elements_text(said -> 'repositoryIds') id order by 1)
            when split_part(said_action, '.', 1) in ('repository', 'protection', 'bootstrap', 'workflow_update') then
              coalesce(
                nullif(array(
                  select r.id from repository r join organization o on o.org_id = r.org_id
                  where r.org_id = org and r.created_at <= said_at
                    and lower(o.login) || '/' || r.lower_name = lower(said_subject)
                  union
                  select (e.data ->> 'repositoryId')::uuid from audit_entry e
                  where e.org_id = org and e.action like 'bootstrap.%' and e.data ? 'repositoryId'
                    and lower(e.subject) = lower(said_subject)
                  order by 1), '{}'),
                array(select r.id from repository r where r.org_id = org and r.private order by 1))
            when said ? 'milestoneId' then
              array(select r.repository_id from release r
                where r.org_id = org and r.id::text = said ->> 'milestoneId')
            else '{}'
          end $$;
      revoke all on function concerned_by_audit_entry(uuid, timestamptz, text, text, jsonb) from public;
      grant execute on function concerned_by_audit_entry(uuid, timestamptz, text, text, jsonb) to shipgate_app;

      alter table audit_entry add column repository_ids uuid[];
      ${acrossTenants(
        ['audit_entry', 'repository', 'organization'],
        'update audit_entry set repository_ids = concerned_by_audit_entry(org_id, at, action, subject, data)',
      )}
      alter table audit_entry alter column repository_ids set not null;

      -- For a process of the version before, which does not say it.
      create function attribute_audit_entry() returns trigger
        language plpgsql set search_path = pg_catalog, public as $$
        begin
          new.repository_ids := concerned_by_audit_entry(new.org_id, new.at, new.action, new.subject, new.data);
          return new;
        end $$;
      revoke all on function attribute_audit_entry() from public;
      create trigger attribute before insert on audit_entry for each row when (new.repository_ids is null)
        execute function attribute_audit_entry();

      create policy viewer on audit_entry as restrictive for select to shipgate_app using (
        (select nullif(current_setting('app.viewer', true), '') is null)
        or not exists (
          select from unnest(repository_ids) as concerned (id)
          where concerned.id is null or concerned.id not in (select r.id from repository r)));

      grant select (org_id, sequence, previous_hash, hash) on audit_entry to shipgate_lookup;
      create policy look_up on audit_entry for select to shipgate_lookup using (true);

      -- The links of the tenant's chain, whoever looks: also those of entries that are hidden from a viewer. An entry's
      -- hash covers its random id, which is not told with it, so what is hidden cannot be guessed and compared.
      create function list_audit_links(first bigint, last bigint)
        returns table (sequence bigint, previous_hash text, hash text)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select e.sequence, e.previous_hash, e.hash from public.audit_entry e
          where e.org_id = nullif(current_setting('app.org_id', true), '')::uuid and e.sequence between first and last;
        end;
      ${grantLookup('list_audit_links(bigint, bigint)')}

      create function find_audit_head()
        returns table (sequence bigint, hash text)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select e.sequence, e.hash from public.audit_entry e
          where e.org_id = nullif(current_setting('app.org_id', true), '')::uuid
          order by e.sequence desc limit 1;
        end;
      ${grantLookup('find_audit_head()')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function find_audit_head();
      drop function list_audit_links(bigint, bigint);
      drop policy look_up on audit_entry;
      revoke select (org_id, sequence, previous_hash, hash) on audit_entry from shipgate_lookup;
      drop policy viewer on audit_entry;
      drop trigger attribute on audit_entry;
      drop function attribute_audit_entry();
      alter table audit_entry drop column repository_ids;
      drop function concerned_by_audit_entry(uuid, timestamptz, text, text, jsonb);
    `);
  }
}
