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
  /** The last decision of the time when the deployment began. */
  readonly decision: EarlierDecision | null;
}

/** How often a release is judged whose facts change meanwhile, before that is left to another try. */
const JUDGED_AT_MOST = 3;

/** A release is not judged yet by what changed before the deployment; `retryAfterSeconds` says when to try again. */
export class FactsUnderChange extends Error {
  readonly retryAfterSeconds = 2;
}

/** Tells which release a deployed commit was the candidate of when its deployment began. */
@Injectable()
export class DeploymentDecisionsService {
  constructor(
    private readonly database: Database,
    private readonly deployments: DeploymentsRepository,
    private readonly facts: ImmutableFactsService,
    private readonly refresh: ReleaseRefreshService,
    private readonly github: GitHubGateway,
  ) {}

  /**
   * The release whose candidate the commit was then, or the same candidate as; what became the candidate since does not
   * matter. Null where it was none's. Fails where the host does not tell how the commits differ, and while facts change too fast.
   */
  async find(orgId: OrgId, repositoryId: string, deployment: DeploymentFact): Promise<MatchedRelease | null> {
    // The host says when it began, and we when we decided.
    const began = this.github.clock.ownMoment(new Date(deployment.beganAt));
    await this.judgeInvalidated(orgId, repositoryId, began);
    const releases = await this.database.inTenant(orgId, (tx) => this.listDecided(tx, repositoryId, began));
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

  /** A change that was known when the deployment began closed the gate then, if it closes it: whether it does is judged now. */
  private async judgeInvalidated(orgId: OrgId, repositoryId: string, { latest }: Moment): Promise<void> {
    const list = (): Promise<readonly string[]> =>
      this.database.inTenant(orgId, (tx) => this.deployments.listInvalidated(tx, repositoryId, latest));
    let invalidated = await list();
    for (let tries = 0; invalidated.length > 0; tries += 1) {
      // Facts that change whenever they are read leave a release unjudged.
      if (tries === JUDGED_AT_MOST) throw new FactsUnderChange('A fact changed again while it was read.');
      for (const id of invalidated) await this.refresh.refresh(orgId, id, { cause: 'deployment', actor: 'service' });
      invalidated = await list();
    }
  }

  /**
   * Releases with what was decided of them when the deployment began: first those whose gate stood open, then those that
   * were shipped, so that a commit that is the candidate of two is taken for the one that it may have been deployed for.
   */
  private async listDecided(
    tx: TenantTransaction,
    repositoryId: string,
    began: Moment,
  ): Promise<readonly MatchedRelease[]> {
    const decided: MatchedRelease[] = [];
    for (const release of await this.deployments.listDeployable(tx, repositoryId)) {
      decided.push({ release, decision: await this.deployments.decisionAt(tx, release.id, began) });
    }
    return decided.sort((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ release, decision }: MatchedRelease): number {
  if (release.shippedAt) return 1;
  return decision?.open === true ? 0 : 2;
}

/** Tells whether a deployment began in a freeze. */
@Injectable()
export class FreezesAtDeployment {
  constructor(
    private readonly acts: VerdictInputsQueries,
    private readonly deployments: DeploymentsRepository,
  ) {}

  /**
   * Whether a freeze held that the decision had not set aside for its release: one of the policy of the decision, which may
   * have been struck out since, or of the workspace. One that was named after the deployment began held nothing back.
   */
  async held(tx: TenantTransaction, began: Date, decision: EarlierDecision | null): Promise<boolean> {
    const setAside = new Set(decision?.overrides.flatMap(({ conditions }) => conditions.map(({ detail }) => detail)));
    const decided = decision ? await this.deployments.listFreezesOf(tx, decision.id) : [];
    const freezes = [...decided, ...(await this.acts.listFreezesAt(tx, began))];
    return freezeConditions(freezes, began).some(({ detail }) => !setAside.has(detail));
  }
}
