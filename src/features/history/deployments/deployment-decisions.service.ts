import { Injectable } from '@nestjs/common';
import { Database, type TenantTransaction } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { differsOnlyInEvidence } from '../../../domain/facts/commit-ancestry.js';
import type { DeploymentFact } from '../../../domain/facts/facts.js';
import type { Moment } from '../../../domain/history/deployment.js';
import { freezeConditions } from '../../../domain/release/conditions.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { ReleaseRefreshService } from '../../releases/evaluation/release-refresh.service.js';
import { VerdictInputsQueries } from '../../releases/evaluation/verdict-inputs.queries.js';
import { ImmutableFactsService } from '../../releases/facts/immutable-facts.service.js';
import { type DeployableRelease, DeploymentsRepository, type EarlierDecision } from './deployments.repository.js';

export interface MatchedRelease {
  readonly release: DeployableRelease;
  /** The latest decision before the deployment began; null if there is none. */
  readonly decision: EarlierDecision | null;
  /** The service approved the deployment with this decision, so no later change counts. */
  readonly isApproval?: true;
}

/** How often a release is evaluated while its facts change, before the job is retried later. */
const MAX_EVALUATIONS = 3;

/** A change from before the deployment is not evaluated yet. `retryAfterSeconds` says when to try again. */
export class FactsUnderChange extends Error {
  readonly retryAfterSeconds = 2;
}

function toRank({ release, decision }: MatchedRelease): number {
  if (release.shippedAt) return 1;
  return decision?.open === true ? 0 : 2;
}

/** Finds the release whose candidate was the deployed commit when the deployment began. */
@Injectable()
export class DeploymentDecisionsService {
  constructor(
    private readonly database: Database,
    private readonly deployments: DeploymentsRepository,
    private readonly facts: ImmutableFactsService,
    private readonly refresh: ReleaseRefreshService,
    private readonly github: GitHubGateway,
    private readonly inputs: VerdictInputsQueries,
  ) {}

  /**
   * Returns the release whose candidate, or an equivalent commit, was deployed. Later changes of the candidate do not matter.
   * Null if there is none. Throws if GitHub does not return the comparison of the commits, and while facts change too fast.
   */
  async find(orgId: OrgId, repositoryId: string, deployment: DeploymentFact): Promise<MatchedRelease | null> {
    // The start is a time of GitHub's clock, and the decisions use the clock of the service.
    const began = this.github.clock.toLocalRange(new Date(deployment.beganAt));
    const approval = await this.database.inTenant(orgId, (tx) =>
      this.findApproval(tx, repositoryId, deployment, began),
    );
    if (approval) return approval;
    await this.evaluateInvalidated(orgId, repositoryId, began);
    const releases = await this.database.inTenant(orgId, (tx) => this.listDecided(tx, repositoryId, began));
    const exact = releases.find(({ release, decision }) =>
      (release.shippedAt ? release : (decision ?? release)).candidateShas.includes(deployment.sha),
    );
    if (exact) return exact;
    for (const match of releases) {
      const candidateSha = match.decision?.candidateSha;
      if (match.release.shippedAt || !candidateSha) continue;
      const key = { kind: 'comparison', key: `${candidateSha}...${deployment.sha}` } as const;
      const comparison = await this.facts.read(orgId, match.release.id, key);
      if (comparison && differsOnlyInEvidence(comparison, candidateSha)) return match;
    }
    return null;
  }

  /**
   * GitHub starts the deployment only after the approval of the service, so their order is certain and does not depend on clocks.
   */
  private async findApproval(
    tx: TenantTransaction,
    repositoryId: string,
    deployment: DeploymentFact,
    began: Moment,
  ): Promise<MatchedRelease | null> {
    const created = this.github.clock.toLocalRange(new Date(deployment.createdAt));
    const approval = await this.deployments.findApproval(tx, repositoryId, deployment, { created, began });
    if (!approval) return null;
    const releases = await this.deployments.listDeployable(tx, repositoryId);
    const release = releases.find(({ id }) => id === approval.releaseId);
    return release ? { release, decision: approval.decision, isApproval: true } : null;
  }

  /**
   * Evaluates releases with changes from before the deployment began, because such a change may have closed the gate at that
   * time.
   */
  private async evaluateInvalidated(orgId: OrgId, repositoryId: string, { latest }: Moment): Promise<void> {
    const list = (): Promise<readonly string[]> =>
      this.database.inTenant(orgId, (tx) => this.deployments.listInvalidated(tx, repositoryId, latest));
    let invalidated = await list();
    for (let tries = 0; invalidated.length > 0; tries += 1) {
      // The facts change during every read, so the release cannot be evaluated.
      if (tries === MAX_EVALUATIONS) throw new FactsUnderChange('A fact changed again while it was read.');
      for (const id of invalidated) await this.refresh.refresh(orgId, id, { cause: 'deployment', actor: 'service' });
      invalidated = await list();
    }
  }

  /**
   * Lists releases with their decision when the deployment began: releases with an open gate first, then shipped ones. If a
   * commit is the candidate of two releases, the one whose deployment was permitted is found.
   */
  private async listDecided(
    tx: TenantTransaction,
    repositoryId: string,
    began: Moment,
  ): Promise<readonly MatchedRelease[]> {
    const matches: MatchedRelease[] = [];
    for (const release of await this.deployments.listDeployable(tx, repositoryId)) {
      matches.push({ release, decision: await this.deployments.decisionAt(tx, release.id, began) });
    }
    return matches.sort((a, b) => toRank(a) - toRank(b));
  }

  /**
   * Whether a freeze was in effect that the decision's overrides did not cover: a freeze of the decision's policy, even if it was
   * removed since, or of the workspace. A freeze that was added after the deployment began does not count.
   */
  async wasHeldByFreeze(tx: TenantTransaction, began: Date, decision: EarlierDecision | null): Promise<boolean> {
    const covered = new Set(
      decision?.overrides.flatMap(({ conditions }) =>
        conditions.flatMap(({ subjects = [] }) => subjects.map(({ id }) => id)),
      ),
    );
    const policyFreezes = decision ? await this.deployments.listFreezesByDecision(tx, decision.id) : [];
    const freezes = [...policyFreezes, ...(await this.inputs.listFreezesAt(tx, began))];
    return freezeConditions(freezes, began).some(({ subjects = [] }) => !subjects.every(({ id }) => covered.has(id)));
  }
}
