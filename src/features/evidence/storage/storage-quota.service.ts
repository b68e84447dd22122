import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import type { TenantTransaction } from '../../../database/database.js';
import { type Plan, effectivePlan } from '../../../domain/billing/plan.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { Metrics } from '../../../observability/metrics.js';

/** The storage of a workspace, in bytes. */
export interface StorageUse {
  readonly used: number;
  /** Null if there is no limit. */
  readonly limit: number | null;
}

/** New content before it is stored. */
interface NewContent {
  readonly sha256: string;
  readonly size: number;
}

/**
 * Counts the storage of a workspace and enforces its quota. Content counts once, by its stored size; rows count by their JSON. Below
 * half of the quota no lock is needed, because uploads of half a quota would have to arrive at once to exceed it. Above, uploads of
 * the workspace are counted one after the other.
 */
@Injectable()
export class StorageQuotaService {
  private readonly stored;
  private readonly refusedUploads;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    metrics: Metrics,
  ) {
    this.stored = metrics.counter({
      name: 'shipgate_stored_bytes_total',
      help: 'Bytes of evidence that this process stored.',
      labels: [],
    });
    this.refusedUploads = metrics.counter({
      name: 'shipgate_storage_refusals_total',
      help: 'Uploads that were refused because their workspace has used its storage quota.',
      labels: [],
    });
  }

  async use(tx: TenantTransaction): Promise<StorageUse> {
    const { used, limit } = await this.measure(tx);
    return { used, limit };
  }

  /** Throws `too_large` if the new contents exceed the quota. Content that is stored already does not count. */
  async refuseBeyond(tx: TenantTransaction, contents: readonly NewContent[]): Promise<void> {
    const { used, limit, plan } = await this.measure(tx);
    if (limit === null) return;
    const sizes = new Map(contents.map(({ sha256, size }) => [sha256, size]));
    const known = await tx.query<{ readonly sha256: string }>(
      'select sha256 from report_content where sha256 = any($1)',
      [[...sizes.keys()]],
    );
    for (const { sha256 } of known) sizes.delete(sha256);
    const needed = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    if (needed > 0 && used + needed > limit) throw this.quotaExceeded({ used, limit, plan });
  }

  /** Counts the stored bytes of an upload. Throws `too_large` above the quota. Must run last in the transaction. */
  async reserve(tx: TenantTransaction, bytes: number): Promise<void> {
    let { used, limit, plan } = await this.measure(tx);
    if (limit !== null && (used + bytes) * 2 > limit) {
      await tx.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [`storage ${tx.orgId}`]);
      ({ used, limit, plan } = await this.measure(tx));
    }
    if (limit !== null && used + bytes > limit) throw this.quotaExceeded({ used, limit, plan });
    await this.count(tx, bytes);
  }

  /** Counts bytes that the service itself stores, without a limit. They reduce the quota for uploads. */
  async count(tx: TenantTransaction, bytes: number): Promise<void> {
    await tx.query('insert into storage_usage_change (org_id, bytes) values ($1, $2)', [tx.orgId, bytes]);
    this.stored.inc(bytes);
  }

  private async measure(tx: TenantTransaction): Promise<StorageUse & { readonly plan: Plan }> {
    const [row] = await tx.query<{ readonly plan: Plan; readonly used: string }>(
      'select plan, (select coalesce(sum(bytes), 0) from storage_usage_change) as used from organization',
    );
    const plan = effectivePlan(row?.plan ?? 'free', this.environment.billing);
    return { plan, used: Number(row?.used ?? 0), limit: this.environment.storageQuotas[plan] };
  }

  private quotaExceeded({ used, limit, plan }: StorageUse & { readonly plan: Plan }): DomainError {
    this.refusedUploads.inc();
    const remedy =
      plan === 'free'
        ? 'An admin can request the pro plan, which has a larger quota.'
        : 'The operator of the service can raise the quota (STORAGE_QUOTA).';
    return new DomainError(
      'too_large',
      `The workspace stores ${used} of its ${limit} bytes. This upload would exceed the quota. ${remedy}`,
    );
  }
}
