import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import type { StoredEntry } from '../../domain/audit/audit-chain.js';
import type { JsonObject } from '../../domain/audit/canonical-json.js';
import type { AuditAction } from './audit-action.js';
import type { AuditActor } from './audit-actor.js';

/** An entry as admins read it. */
export interface AuditEntry {
  readonly id: string;
  readonly at: Date;
  readonly actor: AuditActor;
  readonly action: AuditAction;
  readonly subject: string;
  readonly data: JsonObject;
  readonly hash: string;
}

type SequencedEntry = AuditEntry & { readonly sequence: string };

type StoredRow = Omit<StoredEntry, 'sequence' | 'at'> & { readonly sequence: string; readonly seconds: string };

const READ = 'id, at, actor, action, subject, data, hash';

/** Reads the audit log of a workspace: by pages and whole for people, to the last digit for who verifies it. */
@Injectable()
export class AuditReader {
  async count(tx: TenantTx): Promise<number> {
    const [row] = await tx.query<{ readonly entries: string }>('select count(*) as entries from audit_entry');
    return Number(row?.entries);
  }

  /** The newest first. */
  listPage(tx: TenantTx, limit: number, offset: number): Promise<readonly AuditEntry[]> {
    return tx.query<AuditEntry>(`select ${READ} from audit_entry order by sequence desc limit $1 offset $2`, [
      limit,
      offset,
    ]);
  }

  /** The newest first, from before the entry of this number on; from the newest where it is null. */
  async listBefore(
    tx: TenantTx,
    sequence: string | null,
    limit: number,
  ): Promise<{ readonly entries: readonly AuditEntry[]; readonly last: string | null }> {
    const rows = await tx.query<SequencedEntry>(
      `select sequence, ${READ} from audit_entry where sequence < coalesce($1::bigint, 9223372036854775807)
       order by sequence desc limit $2`,
      [sequence, limit],
    );
    return { entries: rows.map(entryOf), last: rows.at(-1)?.sequence ?? null };
  }

  /** What is stored after the entry of this number, the oldest first, exactly as it is stored. */
  async listStored(tx: TenantTx, after: number, limit: number): Promise<readonly StoredEntry[]> {
    const rows = await tx.query<StoredRow>(
      `select previous_hash as "previousHash", sequence, id, extract(epoch from at)::text as seconds,
         actor::text as actor, action, subject, data::text as data, hash
       from audit_entry where sequence > $1 order by sequence limit $2`,
      [after, limit],
    );
    return rows.map(({ sequence, seconds, ...row }) => ({ ...row, sequence: Number(sequence), at: isoOf(seconds) }));
  }

  /** How many entries are stored whose number is this one or less. */
  async countUpTo(tx: TenantTx, sequence: number): Promise<number> {
    const [row] = await tx.query<{ readonly entries: string }>(
      'select count(*) as entries from audit_entry where sequence <= $1',
      [sequence],
    );
    return Number(row?.entries);
  }
}

const entryOf = ({ id, at, actor, action, subject, data, hash }: SequencedEntry): AuditEntry => ({
  id,
  at,
  actor,
  action,
  subject,
  data,
  hash,
});

/** An instant that is no whole millisecond, as only somebody else can have written it, is left as it is. */
function isoOf(seconds: string): string {
  const whole = /^(\d{1,12})\.(\d{3})000$/.exec(seconds);
  return whole ? new Date(Number(`${whole[1]}${whole[2]}`)).toISOString() : seconds;
}
