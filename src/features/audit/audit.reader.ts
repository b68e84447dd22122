import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import type { JsonObject } from '../../domain/audit/canonical-json.js';
import type { StoredEntry } from '../../domain/audit/hash-chain.js';
import type { AuditAction } from './audit-action.js';
import type { AuditActor } from './audit-actor.js';

/** What holds the chain together, told of every entry. */
interface ChainLink {
  readonly sequence: number;
  /** The hash of the entry before it. */
  readonly previousHash: string;
  readonly hash: string;
}

/** An entry as admins read it. */
export interface AuditEntry extends ChainLink {
  readonly id: string;
  readonly at: Date;
  readonly actor: AuditActor;
  readonly action: AuditAction;
  readonly subject: string;
  readonly data: JsonObject;
}

/** The place of an entry that is hidden from the viewer, because it concerns a repository that they may not read. */
export interface HiddenEntry extends ChainLink {
  readonly hidden: true;
}

type LinkedRow = Omit<AuditEntry, 'sequence' | 'id'> & { readonly sequence: string; readonly id: string | null };

type StoredRow = Omit<StoredEntry, 'sequence' | 'at'> & { readonly sequence: string; readonly seconds: string };

/** Reads the audit log of a workspace: by pages and whole for people, to the last digit for who verifies it. */
@Injectable()
export class AuditReader {
  /** How many entries there are, hidden ones included: they are numbered from 1 without a gap. */
  async count(tx: TenantTx): Promise<number> {
    const [head] = await tx.query<{ readonly sequence: string }>('select sequence from find_audit_head()');
    return Number(head?.sequence ?? 0);
  }

  /** So many of the entries up to this number, the newest first; of what is hidden from the viewer its place alone. */
  async listUpTo(tx: TenantTx, last: number, limit: number): Promise<readonly (AuditEntry | HiddenEntry)[]> {
    const rows = await tx.query<LinkedRow>(
      `select l.sequence, l.previous_hash as "previousHash", l.hash, e.id, e.at, e.actor, e.action, e.subject, e.data
       from list_audit_links($1, $2) l left join audit_entry e on e.sequence = l.sequence
       order by l.sequence desc`,
      [last - limit + 1, last],
    );
    return rows.map(({ sequence, previousHash, hash, id, at, actor, action, subject, data }) => {
      const link = { sequence: Number(sequence), previousHash, hash };
      return id === null ? { ...link, hidden: true } : { id, at, actor, action, subject, data, ...link };
    });
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

/** An instant that is no whole millisecond, as only somebody else can have written it, is left as it is. */
function isoOf(seconds: string): string {
  const whole = /^(\d{1,12})\.(\d{3})000$/.exec(seconds);
  return whole ? new Date(Number(`${whole[1]}${whole[2]}`)).toISOString() : seconds;
}
