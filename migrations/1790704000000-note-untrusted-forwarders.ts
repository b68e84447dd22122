import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantLookup } from './tenancy-sql.js';

/**
 * The last address that named a client in a forwarding header without being a trusted proxy, in one row: who runs the
 * service has to be told, by whichever process saw it.
 */
export class NoteUntrustedForwarders1790704000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table untrusted_forwarder (
        only_row boolean primary key default true check (only_row),
        address text not null check (length(address) <= 64),
        seen_at timestamptz not null
      );
      grant select, insert, update on untrusted_forwarder to shipgate_lookup;

      create function note_untrusted_forwarder(forwarder text, seen timestamptz)
        returns void
        language sql security definer set search_path = pg_catalog, public
        begin atomic
          insert into public.untrusted_forwarder as held (address, seen_at) values (forwarder, seen)
          on conflict (only_row) do update set address = excluded.address, seen_at = excluded.seen_at
            where held.seen_at < excluded.seen_at;
        end;
      ${grantLookup('note_untrusted_forwarder(text, timestamptz)')}

      create function find_untrusted_forwarder()
        returns table (address text, seen_at timestamptz)
        language sql stable security definer set search_path = pg_catalog, public
        begin atomic
          select held.address, held.seen_at from public.untrusted_forwarder held;
        end;
      ${grantLookup('find_untrusted_forwarder()')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function find_untrusted_forwarder();
      drop function note_untrusted_forwarder(text, timestamptz);
      drop table untrusted_forwarder;
    `);
  }
}
