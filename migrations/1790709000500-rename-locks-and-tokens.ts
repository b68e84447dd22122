import type { MigrationInterface, QueryRunner } from 'typeorm';
import { renameFunctions, renameTenantTable, restoreFunctions, restoreTenantTable } from './rename-sql.js';

/** In the order in which transactions use them: events come last, and their numbers at the commit. */
const TABLES = [
  {
    former: 'host_token',
    name: 'repository_token',
    columns: { sealed_token: 'encrypted_token', sealed_key: 'encrypted_key' },
    access: 'read-write',
  },
  {
    former: 'scope_claim',
    name: 'scope_lock',
    columns: { holder: 'lock_token', until: 'expires_at' },
    access: 'read-write',
  },
  {
    former: 'break_glass',
    name: 'break_glass_request',
    columns: { sha: 'commit_sha' },
    access: 'read-write',
  },
  { former: 'event_count', name: 'event_sequence', access: 'read-write' },
] as const;

const FUNCTIONS = { list_holders_of_host_tokens: 'list_workspaces_with_tokens' };

/** The trigger function that numbers events, whose text names the table of the numbers. */
const sequenceFunction = (table: string, name: string): string => `
  create or replace function ${name}() returns trigger
    language plpgsql set search_path = pg_catalog, public
    as $$
    declare
      number bigint;
    begin
      insert into public.${table} as known (org_id, last_id) values (new.org_id, 1)
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
    end $$;`;

/** Names overrides, locks, tokens and event numbers by the terms of the glossary. The former names are views of the tables. */
export class RenameLocksAndTokens1790709000500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      lock table host_token, scope_claim, break_glass, event, event_count in access exclusive mode;
      ${TABLES.map(renameTenantTable).join('')}
      alter trigger number_event on event rename to assign_event_sequence;
      alter function number_event() rename to assign_event_sequence;
      ${sequenceFunction('event_sequence', 'assign_event_sequence')}
      ${renameFunctions(FUNCTIONS)}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ${restoreFunctions(FUNCTIONS)}
      alter function assign_event_sequence() rename to number_event;
      alter trigger assign_event_sequence on event rename to number_event;
      ${TABLES.map(restoreTenantTable).join('')}
      ${sequenceFunction('event_count', 'number_event')}
    `);
  }
}
