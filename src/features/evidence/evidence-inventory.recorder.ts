import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import type { EvidenceKind } from '../../domain/evidence/evidence.js';
import { TestRolls, type RolledReport } from './test-rolls.recorder.js';

/** What the lists of quality have to know of evidence that was just kept. */
interface InventoriedEvidence {
  readonly releaseId: string;
  readonly repositoryId: string;
  readonly environment: string;
  readonly pieces: readonly { readonly kind: EvidenceKind }[];
  readonly receivedAt: Date;
  readonly reports: readonly RolledReport[];
}

/** Notes what releases are found by for the sake of their evidence. */
@Injectable()
export class EvidenceInventory {
  constructor(private readonly rolls: TestRolls) {}

  /** In the transaction that keeps the evidence, and once for each. */
  async add(
    tx: TenantTx,
    { releaseId, repositoryId, environment, pieces, receivedAt, reports }: InventoriedEvidence,
  ): Promise<void> {
    await tx.query(
      `with noted as (
         insert into evidence_facet (org_id, repository_id, release_id, kind, environment)
         select $1, $2, $3, kind, $4 from unnest($5::text[]) as kind
         on conflict do nothing)
       update release set evidence_at = greatest(evidence_at, $6) where id = $3`,
      [tx.orgId, repositoryId, releaseId, environment, pieces.map(({ kind }) => kind), receivedAt],
    );
    // Uploads of the same reports take turns in one order, so that none of them waits for another that waits for it.
    const inOrder = reports.toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
    for (const report of inOrder) await this.rolls.keep(tx, report);
  }
}
