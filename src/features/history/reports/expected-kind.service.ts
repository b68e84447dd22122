import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import type { TenantTransaction } from '../../../database/database.js';
import type { Sha } from '../../../domain/facts/facts.js';
import { type DeploymentRecordKind, deploymentKind } from '../../../domain/history/deployment.js';
import { type ReportedStart, shippingDecision } from '../../../domain/history/reported-deployment.js';
import { DeploymentsRepository } from '../deployments/deployments.repository.js';

/** Finds the kind that a deployment would have. */
@Injectable()
export class ExpectedKindService {
  constructor(
    private readonly deployments: DeploymentsRepository,
    private readonly clock: Clock,
  ) {}

  /** Returns the kind that a started deployment would have after a success now; null if the history would get no record. */
  async find(
    tx: TenantTransaction,
    { repositoryId, sha }: { readonly repositoryId: string; readonly sha: Sha },
    start: Omit<ReportedStart, 'at'>,
  ): Promise<DeploymentRecordKind | null> {
    if (!start.atTarget) return null;
    const releases = await this.deployments.listDeployable(tx, repositoryId);
    const found = releases.find(({ id }) => id === start.releaseId);
    // It may have shipped another commit meanwhile.
    const release = found?.shippedAt && !found.candidateShas.includes(sha) ? undefined : found;
    if (!release) return 'ungoverned';
    const now = this.clock.now();
    const superseded = await this.deployments.wasSuperseded(tx, repositoryId, release.id, now);
    const shipping = shippingDecision(start);
    const decision = shipping && { id: shipping.decisionId, open: true };
    const kind = deploymentKind({ ...release, superseded, decision, frozen: false });
    return kind === 'again' ? null : kind;
  }
}
