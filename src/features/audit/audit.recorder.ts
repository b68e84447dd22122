import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { sha256 } from '../../crypto/sha256.js';
import type { TenantTx } from '../../database/database.js';
import { type JsonObject, unkeepable } from '../../domain/audit/canonical-json.js';
import { type ChainHead, EMPTY_CHAIN, sealOf, type SealedContent } from '../../domain/audit/hash-chain.js';
import type { AuditAction } from './audit-action.js';
import type { AuditActor } from './audit-actor.js';

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

/** Writes into the audit log: each entry is sealed by a hash over itself and the entry before it. */
@Injectable()
export class AuditRecorder {
  constructor(private readonly clock: Clock) {}

  /**
   * Adds an entry in the transaction of what it tells of, so that both are kept or neither. Others who add to the
   * workspace's log wait until that transaction ends: let this be one of its last statements.
   */
  async append(tx: TenantTx, { actor, action, subject, data, repositoryIds }: NewAuditEntry): Promise<void> {
    const flaw = unkeepable([{ ...actor }, subject, data]);
    if (flaw !== null) throw new TypeError(`An audit entry (${action}) cannot be kept with ${flaw}.`);
    await tx.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [`${tx.orgId} audit log`]);
    const head = await this.readHead(tx);
    const content: SealedContent = {
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
        sealOf(content, sha256),
        repositoryIds,
      ],
    );
  }

  /**
   * A statement of its own after the lock's: one that waited in the same statement would see the log as it was before. The last
   * entry may be hidden from the viewer whose transaction this is, and is followed all the same.
   */
  private async readHead(tx: TenantTx): Promise<ChainHead> {
    const [row] = await tx.query<{ readonly sequence: string; readonly hash: string }>(
      'select sequence, hash from find_audit_head()',
    );
    return row ? { sequence: Number(row.sequence), hash: row.hash } : EMPTY_CHAIN;
  }
}
