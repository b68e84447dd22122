import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import type { TenantTx } from '../../../database/database.js';
import type { FoundProtection } from '../../../domain/repository/protection.js';
import type { ProtectionRecord } from './protection-record.js';

const DETAIL_LENGTH = 2_000;

/** What is known of the protection of repositories. */
@Injectable()
export class ProtectionsRepository {
  constructor(private readonly clock: Clock) {}

  /** Null where nobody has asked for it yet. */
  async find(tx: TenantTx, repositoryId: string): Promise<ProtectionRecord | null> {
    const [row] = await tx.query<ProtectionRecord>(
      'select attempt, status, detail from repository_protection where repository_id = $1',
      [repositoryId],
    );
    return row ?? null;
  }

  /**
   * Begins a new attempt. Where one is under way already that one goes on, unless `anew`; false then. Of two that begin one
   * at once the second one finds that of the first.
   */
  async begin(tx: TenantTx, repositoryId: string, { anew }: { readonly anew: boolean }): Promise<boolean> {
    const begun = await tx.query(
      `insert into repository_protection as p (org_id, repository_id, attempt, status, changed_at)
       values ($1, $2, $3, 'pending', $4)
       on conflict (org_id, repository_id) do update
         set attempt = excluded.attempt, status = 'pending', detail = null, changed_at = excluded.changed_at
         where $5 or p.status <> 'pending'
       returning attempt`,
      [tx.orgId, repositoryId, randomUUID(), this.clock.now(), anew],
    );
    return begun.length > 0;
  }

  /** Says meanwhile why the attempt takes so long. False where it is not the one under way. */
  async explain(tx: TenantTx, repositoryId: string, attempt: string, detail: string): Promise<boolean> {
    const explained = await tx.query(
      `update repository_protection set detail = $3
       where repository_id = $1 and attempt = $2 and status = 'pending' and detail is distinct from $3
       returning attempt`,
      [repositoryId, attempt, detail.slice(0, DETAIL_LENGTH)],
    );
    return explained.length > 0;
  }

  /** Ends the attempt. False where it is not the one under way. */
  async settle(tx: TenantTx, repositoryId: string, attempt: string, found: FoundProtection): Promise<boolean> {
    const settled = await tx.query(
      `update repository_protection set status = $3, detail = $4, changed_at = $5
       where repository_id = $1 and attempt = $2 and status = 'pending' returning attempt`,
      [repositoryId, attempt, found.status, detailOf(found), this.clock.now()],
    );
    return settled.length > 0;
  }

  /** Writes down what a look found after that attempt had ended. False where it is as it was, or another one began. */
  async observe(tx: TenantTx, repositoryId: string, attempt: string, found: FoundProtection): Promise<boolean> {
    const changed = await tx.query(
      `update repository_protection set status = $3, detail = $4,
         changed_at = case when status = $3 then changed_at else $5 end
       where repository_id = $1 and attempt = $2 and status <> 'pending'
         and (status, detail) is distinct from ($3, $4)
       returning attempt`,
      [repositoryId, attempt, found.status, detailOf(found), this.clock.now()],
    );
    return changed.length > 0;
  }
}

const detailOf = ({ detail }: FoundProtection): string | null => detail?.slice(0, DETAIL_LENGTH) ?? null;
