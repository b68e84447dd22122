import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { sha256 } from '../../crypto/digests.js';
import type { TenantTransaction } from '../../database/database.js';
import { type JsonObject, findUnstorableValue } from '../../domain/audit/canonical-json.js';
import {
  type ChainHead,
  EMPTY_CHAIN,
  type HashedEntry,
  hashEntry,
  type StoredEntry,
} from '../../domain/audit/hash-chain.js';
import type { AuditAction, AuditActor } from './audit-actions.js';

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

/** An instant that is no whole millisecond, as only somebody else can have written it, is left as it is. */
function isoOf(seconds: string): string {
  const whole = /^(\d{1,12})\.(\d{3})000$/.exec(seconds);
  return whole ? new Date(Number(`${whole[1]}${whole[2]}`)).toISOString() : seconds;
}

export interface NewAuditEntry {
  readonly actor: AuditActor;
  readonly action: AuditAction;
  /** What it was done to, as people call it: a login, the name of a key. */
  readonly subject: string;
  /** The rest that belongs to it, with whole numbers only, and never a secret. */
  readonly data: JsonObject;
  /** The ids of the repositories that it concerns: who may not read each of them is not shown it. */
  readonly repositoryIds: readonly string[];
}

/** Reads the audit log of a workspace: by pages and whole for people, to the last digit for who verifies it. Writes into the audit log: each entry is sealed by a hash over itself and the entry before it. */
@Injectable()
export class AuditRepository {
  constructor(private readonly clock: Clock) {}

  /** How many entries there are, hidden ones included: they are numbered from 1 without a gap. */
  async count(tx: TenantTransaction): Promise<number> {
    const [head] = await tx.query<{ readonly sequence: string }>('select sequence from find_audit_head()');
    return Number(head?.sequence ?? 0);
  }

  /** So many of the entries up to this number, the newest first; of what is hidden from the viewer its place alone. */
  async listUpTo(tx: TenantTransaction, last: number, limit: number): Promise<readonly (AuditEntry | HiddenEntry)[]> {
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
  async listStored(tx: TenantTransaction, after: number, limit: number): Promise<readonly StoredEntry[]> {
    const rows = await tx.query<StoredRow>(
      `select previous_hash as "previousHash", sequence, id, extract(epoch from at)::text as seconds,
         actor::text as actor, action, subject, data::text as data, hash
       from audit_entry where sequence > $1 order by sequence limit $2`,
      [after, limit],
    );
    return rows.map(({ sequence, seconds, ...row }) => ({ ...row, sequence: Number(sequence), at: isoOf(seconds) }));
  }

  /** How many entries are stored whose number is this one or less. */
  async countUpTo(tx: TenantTransaction, sequence: number): Promise<number> {
    const [row] = await tx.query<{ readonly entries: string }>(
      'select count(*) as entries from audit_entry where sequence <= $1',
      [sequence],
    );
    return Number(row?.entries);
  }

  /**
   * Adds an entry in the transaction of what it tells of, so that both are kept or neither. Others who add to the
   * workspace's log wait until that transaction ends: let this be one of its last statements.
   */
  async append(tx: TenantTransaction, { actor, action, subject, data, repositoryIds }: NewAuditEntry): Promise<void> {
    const flaw = findUnstorableValue([{ ...actor }, subject, data]);
    if (flaw !== null) throw new TypeError(`An audit entry (${action}) cannot be kept with ${flaw}.`);
    await tx.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [`${tx.orgId} audit log`]);
    const head = await this.readHead(tx);
    const content: HashedEntry = {
      previousHash: head.hash,
      orgId: tx.orgId,
      sequence: head.sequence + 1,
      id: randomUUID(),
      at: this.clock.now().toISOString(),
      actor: { ...actor },
      action,
      subject,
      data,
    };
    await tx.query(
      `insert into audit_entry (org_id, sequence, id, at, actor, action, subject, data, previous_hash, hash, repository_ids)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [
        content.orgId,
        content.sequence,
        content.id,
        content.at,
        JSON.stringify(actor),
        action,
        subject,
        JSON.stringify(data),
        content.previousHash,
        hashEntry(content, sha256),
        repositoryIds,
      ],
    );
  }

  /**
   * A statement of its own after the lock's: one that waited in the same statement would see the log as it was before. The last
   * entry may be hidden from the viewer whose transaction this is, and is followed all the same.
   */
  private async readHead(tx: TenantTransaction): Promise<ChainHead> {
    const [row] = await tx.query<{ readonly sequence: string; readonly hash: string }>(
      'select sequence, hash from find_audit_head()',
    );
    return row ? { sequence: Number(row.sequence), hash: row.hash } : EMPTY_CHAIN;
  }
}
