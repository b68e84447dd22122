import { Injectable } from '@nestjs/common';
import { IsNull, MoreThan } from 'typeorm';
import type { TenantTransaction } from '../../database/database.js';
import { BreakGlassRequestEntity, WaiverEntity } from '../../database/entities.js';
import type { BreakGlass, OverrideRequest, UserRef, Waiver } from '../../domain/override/override.js';

/** An override with the time of its request. Lists show the time. No rule needs it, so the inputs of decisions do not have it. */
export type Dated<A extends OverrideRequest> = A & { readonly requestedAt: Date };

/** A request before its confirmation. */
export type NewOverride<A extends OverrideRequest> = Omit<Dated<A>, 'confirmedBy' | 'confirmedAt'> & {
  readonly releaseId: string;
};

/** A waiver with the sentences of its conditions at the time of the request. Only users read them. */
interface StoredWaiver extends Dated<Waiver> {
  readonly details: readonly string[];
}

export interface OverrideByKind {
  readonly waiver: StoredWaiver;
  readonly break_glass: Dated<BreakGlass>;
}
export type OverrideKind = keyof OverrideByKind;

const ENTITIES = { waiver: WaiverEntity, break_glass: BreakGlassRequestEntity } as const;

/** Stores the overrides of releases. Withdrawn and expired ones stay stored, but are not found. */
@Injectable()
export class OverridesRepository {
  async create<K extends OverrideKind>(
    tx: TenantTransaction,
    kind: K,
    { requestedBy, ...override }: NewOverride<OverrideByKind[K]>,
  ): Promise<void> {
    const requester = { requestedBy: requestedBy.id, requestedByLogin: requestedBy.login };
    await tx.manager.insert<StoredOverride>(ENTITIES[kind], { ...override, ...requester, orgId: tx.orgId });
  }

  /** Lists the overrides that are in effect or wait for a confirmation, oldest first. */
  async list<K extends OverrideKind>(
    tx: TenantTransaction,
    kind: K,
    releaseId: string,
    now: Date,
  ): Promise<readonly OverrideByKind[K][]> {
    const stored = await tx.manager.find<StoredOverride>(ENTITIES[kind], {
      where: { releaseId, withdrawnAt: IsNull(), expiresAt: MoreThan(now) },
      order: { requestedAt: 'asc', id: 'asc' },
    });
    return stored.map((override) => toOverride(override) as OverrideByKind[K]);
  }

  async confirm(tx: TenantTransaction, kind: OverrideKind, override: OverrideRequest): Promise<void> {
    const { id, confirmedBy, confirmedAt, expiresAt } = override;
    await tx.manager.update<StoredOverride>(
      ENTITIES[kind],
      { id, confirmedAt: IsNull() },
      { confirmedBy: confirmedBy?.id ?? null, confirmedByLogin: confirmedBy?.login ?? null, confirmedAt, expiresAt },
    );
  }

  async withdraw(tx: TenantTransaction, kind: OverrideKind, id: string, by: UserRef, at: Date): Promise<void> {
    await tx.manager.update<StoredOverride>(ENTITIES[kind], { id }, { withdrawnBy: by.id, withdrawnAt: at });
  }
}

type StoredOverride = WaiverEntity | BreakGlassRequestEntity;

function toOverride(stored: StoredOverride): OverrideByKind[OverrideKind] {
  const { id, reason, requestedBy, confirmedBy, confirmedByLogin, requestedAt, confirmedAt, expiresAt } = stored;
  const override: Dated<OverrideRequest> = {
    id,
    reason,
    requestedAt,
    requestedBy: { id: requestedBy, login: stored.requestedByLogin },
    confirmedBy: confirmedBy === null ? null : { id: confirmedBy, login: confirmedByLogin ?? '' },
    confirmedAt,
    expiresAt,
  };
  return stored instanceof WaiverEntity
    ? {
        ...override,
        condition: stored.condition,
        subjects: stored.subjects,
        details: stored.details,
        candidateSha: stored.candidateSha,
      }
    : { ...override, sha: stored.sha };
}
