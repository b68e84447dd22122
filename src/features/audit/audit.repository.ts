import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LessThanOrEqual } from 'typeorm';
import { Clock } from '../../config/clock.js';
import { sha256 } from '../../crypto/digests.js';
import type { TenantTransaction } from '../../database/database.js';
import { AuditEntryEntity } from '../../database/entities.js';
import { type JsonObject, findUnstorableValue } from '../../domain/audit/canonical-json.js';
import { type ChainHead, EMPTY_CHAIN, hashEntry, type StoredEntry } from '../../domain/audit/hash-chain.js';
import type { AuditAction, AuditActor } from './audit-actions.js';
import type { AuditEntryDto, HiddenAuditEntryDto } from './audit.dto.js';

type LinkedRow = Omit<AuditEntryDto, 'id'> & { readonly id: string | null };

type StoredRow = Omit<StoredEntry, 'at'> & { readonly seconds: string };

/** Converts a time to ISO 8601. A time that is not a whole millisecond was not written by the service and is returned unchanged. */
function toIsoTime(seconds: string): string {
  const whole = /^(\d{1,12})\.(\d{3})000$/.exec(seconds);
  return whole ? new Date(Number(`${whole[1]}${whole[2]}`)).toISOString() : seconds;
}

export interface NewAuditEntry {
  readonly actor: AuditActor;
  readonly action: AuditAction;
  /** The name of the object of the action, such as a login or the name of a key. */
  readonly subject: string;
  /** More values of the action. Numbers must be integers. Never contains a secret. */
  readonly data: JsonObject;
  /** The ids of the affected repositories. The entry is hidden from users who cannot read all of them. */
  readonly repositoryIds: readonly string[];
}

/** The audit log of a workspace. Each entry carries a hash over itself and the entry before it. */
@Injectable()
export class AuditRepository {
  constructor(private readonly clock: Clock) {}

  /** Returns up to `limit` entries up to number `last`, newest first. A hidden entry contains only its position. */
  async listUpTo(
    tx: TenantTransaction,
    last: number,
    limit: number,
  ): Promise<readonly (AuditEntryDto | HiddenAuditEntryDto)[]> {
    const rows = await tx.query<LinkedRow>(
      `select l.sequence::float8 as sequence, l.previous_hash as "previousHash", l.hash, e.id, e.at, e.actor, e.action, e.subject, e.data
       from list_audit_links($1, $2) l left join audit_entry e on e.sequence = l.sequence
       order by l.sequence desc`,
      [last - limit + 1, last],
    );
    return rows.map(({ sequence, previousHash, hash, id, at, actor, action, subject, data }) => {
      const link = { sequence, previousHash, hash };
      return id === null ? { ...link, hidden: true } : { id, at, actor, action, subject, data, ...link };
    });
  }

  /** Returns the entries after number `after`, oldest first, exactly as they are stored. */
  async listStored(tx: TenantTransaction, after: number, limit: number): Promise<readonly StoredEntry[]> {
    const rows = await tx.query<StoredRow>(
      `select previous_hash as "previousHash", sequence::float8 as sequence, id, extract(epoch from at)::text as seconds,
         actor::text as actor, action, subject, data::text as data, hash
       from audit_entry where sequence > $1 order by sequence limit $2`,
      [after, limit],
    );
    return rows.map(({ seconds, ...row }) => ({ ...row, at: toIsoTime(seconds) }));
  }

  /** Returns the subject and the values of the last entry with the action, or null. */
  findLast(tx: TenantTransaction, action: AuditAction): Promise<Pick<AuditEntryEntity, 'subject' | 'data'> | null> {
    return tx.manager.findOne(AuditEntryEntity, { where: { action }, order: { sequence: 'desc' } });
  }

  /** Returns how many stored entries have at most this number. */
  countUpTo(tx: TenantTransaction, sequence: number): Promise<number> {
    return tx.manager.countBy(AuditEntryEntity, { sequence: LessThanOrEqual(sequence) });
  }

  /**
   * Appends an entry. Other transactions that append to the workspace's log wait until this one ends. Features append with
   * `AuditLogService`.
   */
  async append(tx: TenantTransaction, { actor, action, subject, data, repositoryIds }: NewAuditEntry): Promise<void> {
    const flaw = findUnstorableValue([{ ...actor }, subject, data]);
    if (flaw !== null) throw new TypeError(`An audit entry (${action}) cannot be stored with ${flaw}.`);
    await tx.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [`${tx.orgId} audit log`]);
    const head = await this.getHead(tx);
    const at = this.clock.now();
    const content = {
      previousHash: head.hash,
      orgId: tx.orgId,
      sequence: head.sequence + 1,
      id: randomUUID(),
      actor: { ...actor },
      action,
      subject,
      data,
    };
    const hash = hashEntry({ ...content, at: at.toISOString() }, sha256);
    await tx.manager.insert(AuditEntryEntity, { ...content, at, hash, repositoryIds });
  }

  /**
   * Returns the last entry, also if it is hidden from the viewer. Its number is the number of entries. A separate statement after
   * the lock, because a statement that waits for the lock itself would see the log as it was before.
   */
  async getHead(tx: TenantTransaction): Promise<ChainHead> {
    const [head] = await tx.query<ChainHead>('select sequence::float8 as sequence, hash from find_audit_head()');
    return head ?? EMPTY_CHAIN;
  }
}
