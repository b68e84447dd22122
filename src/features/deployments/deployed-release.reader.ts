import { Injectable } from '@nestjs/common';
import { Database, type TenantTx } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import { differsOnlyInEvidence } from '../../domain/release/commit-ancestry.js';
import type { DeploymentFact } from '../../domain/release/facts.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import { ReleaseFactReader } from '../releases/release-fact.reader.js';
import { DeploymentsRepository, type DeployableRelease, type EarlierDecision } from './deployments.repository.js';

export interface DecidedRelease {
  readonly release: DeployableRelease;
  /** The last decision that was certainly made before the deployment began. */
  readonly decision: EarlierDecision | null;
}

/** Tells which release a deployed commit was the candidate of when its deployment began. */
@Injectable()
export class DeployedReleaseReader {
  constructor(
    private readonly database: Database,
    private readonly deployments: DeploymentsRepository,
    private readonly facts: ReleaseFactReader,
    private readonly github: GitHubGateway,
  ) {}

  /**
   * The release whose candidate the commit was then, or the same candidate as; what became the candidate since does not
   * matter. Null where it was none's. Fails where the host does not tell how the commits differ.
   */
  async find(orgId: OrgId, repositoryId: string, deployment: DeploymentFact): Promise<DecidedRelease | null> {
    const releases = await this.database.inTenant(orgId, (tx) => this.listDecided(tx, repositoryId, deployment));
    const exact = releases.find(({ release, decision }) =>
      (release.shippedAt ? release : (decision ?? release)).candidateShas.includes(deployment.sha),
    );
    if (exact) return exact;
    for (const decided of releases) {
      const candidateSha = decided.decision?.candidateSha;
      if (decided.release.shippedAt || !candidateSha) continue;
      const wanted = { kind: 'comparison', key: `${candidateSha}...${deployment.sha}` } as const;
      const comparison = await this.facts.read(orgId, decided.release.id, wanted);
      if (comparison && differsOnlyInEvidence(comparison, candidateSha)) return decided;
    }
    return null;
  }

  /**
   * Releases with what was decided of them when the deployment began: first those whose gate stood open, then those that
   * were shipped, so that a commit that is the candidate of two is taken for the one that it may have been deployed for.
   */
  private async listDecided(
    tx: TenantTx,
    repositoryId: string,
    { createdAt }: DeploymentFact,
  ): Promise<readonly DecidedRelease[]> {
    // The host says when it began, and we when we decided: in doubt the decision came later, and what it rested on was over.
    const at = new Date(createdAt);
    const began = { earliest: this.github.clock.earliestOwn(at), latest: this.github.clock.latestOwn(at) };
    const decided: DecidedRelease[] = [];
    for (const release of await this.deployments.listDeployable(tx, repositoryId)) {
      decided.push({ release, decision: await this.deployments.decisionBefore(tx, release.id, began) });
    }
    return decided.sort((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ release, decision }: DecidedRelease): number {
  if (release.shippedAt) return 1;
  return decision?.open === true ? 0 : 2;
}
