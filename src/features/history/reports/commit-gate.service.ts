import { Injectable } from '@nestjs/common';
import { KeyedQueue } from '../../../concurrency/keyed-queue.js';
import { withinDeadline } from '../../../concurrency/single-flight.js';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTransaction } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { acceptsDigest, digestNotAccepted } from '../../../domain/artifact/required-artifacts.js';
import { differsOnlyInEvidence } from '../../../domain/facts/commit-ancestry.js';
import type { Condition } from '../../../domain/facts/condition.js';
import type { Sha } from '../../../domain/facts/facts.js';
import type { Policy } from '../../../domain/policy/policy.js';
import { isSameEnvironment } from '../../../domain/policy/policy.js';
import { environmentRole } from '../../../domain/policy/environments.js';
import { answerEnvironment, environmentNotNamed } from '../../../domain/release/environment-gate.js';
import { type LookupCaller, LookupBudgetService } from '../../releases/discovery/lookup-budget.service.js';
import {
  type ReleaseEvaluationWithInputs,
  ReleaseEvaluationService,
} from '../../releases/evaluation/release-evaluation.service.js';
import { ReleaseRefreshService } from '../../releases/evaluation/release-refresh.service.js';
import { ImmutableFactsService } from '../../releases/facts/immutable-facts.service.js';
import { DeploymentsRepository } from '../deployments/deployments.repository.js';
import { CommitReleasesQueries, type CommitRelease } from './commit-releases.queries.js';

/** How long a report waits for GitHub before its gate is evaluated by stored facts, in milliseconds. The deploy gate waits as long. */
const REFRESH_DEADLINE_MS = 3_000;
/** The number of releases that one report refreshes. The commit of a report is the candidate of one of the latest. */
const MAX_REFRESHED = 10;
/** The number of refreshes for reports of one workspace at once. */
const REFRESHED_AT_ONCE = 2;

const CAUSE = { cause: 'deployment', actor: 'service', closesUnread: true } as const;

/** A commit whose gate is checked. */
export interface CheckedCommit {
  readonly repositoryId: string;
  readonly sha: Sha;
  /** The only release that may match; null if each release of the repository may. */
  readonly releaseId: string | null;
}

/** A commit and the environment that it is deployed to. */
interface DeployedCommit extends CheckedCommit {
  /** If set, the gate is closed unless the policy accepts the digest as an artifact of the candidate. */
  readonly digest: string | null;
  readonly environment: string;
}

/** A release that the commit belongs to. */
export interface MatchingRelease extends CommitRelease {
  /** Whether the commit was compared with the candidate because it is not stored as an equivalent commit. */
  readonly isCompared: boolean;
}

/** The gate of a commit in an environment. */
export interface CommitGate {
  readonly canDeploy: boolean;
  /** The digest, if one was given, is an artifact of the candidate that the policy accepts. */
  readonly isDigestAccepted: boolean;
  readonly atTarget: boolean;
  /** The release whose candidate or shipped commit it is; null if there is none. */
  readonly release: { readonly id: string; readonly isShipped: boolean } | null;
  /** The saved decision behind the answer; null if there is none. */
  readonly decisionId: string | null;
  readonly reasons: readonly Condition[];
}

/** Checks the gate for a commit, whatever its release. */
@Injectable()
export class CommitGateService {
  private readonly refreshes = new KeyedQueue(REFRESHED_AT_ONCE);

  constructor(
    private readonly database: Database,
    private readonly releases: CommitReleasesQueries,
    private readonly deployments: DeploymentsRepository,
    private readonly refresh: ReleaseRefreshService,
    private readonly evaluations: ReleaseEvaluationService,
    private readonly facts: ImmutableFactsService,
    private readonly budget: LookupBudgetService,
    private readonly clock: Clock,
  ) {}

  createDeadline(): AbortSignal {
    return AbortSignal.timeout(REFRESH_DEADLINE_MS);
  }

  /** Reads the stale facts of the releases from GitHub, until the deadline. */
  async refreshStale(
    orgId: OrgId,
    commit: Omit<CheckedCommit, 'sha'> & { readonly sha: Sha | null },
    deadline: AbortSignal,
  ): Promise<void> {
    const stale = await this.database.inTenant(orgId, (tx) =>
      this.releases.listStale(tx, commit, this.clock.now(), MAX_REFRESHED),
    );
    for (const id of stale) {
      if (deadline.aborted) return;
      const refreshed = this.refreshes.run(orgId, () => this.refresh.refreshShared(orgId, id, CAUSE), deadline);
      await withinDeadline(refreshed, deadline);
    }
  }

  /** Lists the releases whose candidate or shipped commit this is, or an equivalent commit. Releases that are not shipped come first. */
  async listMatching(
    orgId: OrgId,
    commit: CheckedCommit,
    { lookup, deadline }: { readonly lookup: LookupCaller; readonly deadline: AbortSignal },
  ): Promise<readonly MatchingRelease[]> {
    const all = await this.database.inTenant(orgId, (tx) => this.releases.list(tx, commit));
    const exact = all.filter(({ candidateShas }) => candidateShas.includes(commit.sha));
    if (exact.length > 0) return exact.map((release) => ({ ...release, isCompared: false }));
    const equivalent: MatchingRelease[] = [];
    for (const release of all.filter(({ isShipped }) => !isShipped).slice(0, MAX_REFRESHED)) {
      if (await this.isEquivalent(orgId, release, commit.sha, { lookup, deadline }))
        equivalent.push({ ...release, isCompared: true });
    }
    return equivalent;
  }

  /** Whether a commit is the candidate of the release or an equivalent commit. False if GitHub does not answer in time. */
  async isEquivalent(
    orgId: OrgId,
    { id, candidateSha, candidateShas }: Pick<CommitRelease, 'id' | 'candidateSha' | 'candidateShas'>,
    sha: Sha,
    { lookup, deadline }: { readonly lookup: LookupCaller; readonly deadline: AbortSignal },
  ): Promise<boolean> {
    if (candidateShas.includes(sha)) return true;
    const key = { kind: 'comparison', key: `${candidateSha}...${sha}` } as const;
    const read = this.facts.read(orgId, id, key, { mayRequest: () => this.budget.consume(lookup), signal: deadline });
    const comparison = await withinDeadline(read, deadline);
    return comparison !== undefined && differsOnlyInEvidence(comparison, candidateSha);
  }

  /**
   * Evaluates the matching releases and locks them, so that the answer stays true until the transaction ends. Saves the decision behind
   * it. If several match, an open gate counts.
   */
  async checkAndSave(
    tx: TenantTransaction,
    commit: DeployedCommit,
    matching: readonly MatchingRelease[],
    policy: Policy | null,
  ): Promise<CommitGate> {
    // Locks all of them before a single one, in the same order as the code that ships releases.
    await this.deployments.lockDeployable(tx, commit.repositoryId);
    return this.select(commit, matching, policy, async (release) => {
      const evaluation = await this.evaluations.evaluateAndSave(tx, release.id, CAUSE);
      const gate = evaluation && this.toGate(commit, release, evaluation, policy);
      return (
        gate && {
          ...gate,
          canDeploy: gate.canDeploy && evaluation.decisionId !== null,
          decisionId: evaluation.decisionId,
        }
      );
    });
  }

  /** Does the same by the stored facts, and neither saves nor locks anything. The answer has no decision. */
  async check(
    tx: TenantTransaction,
    commit: DeployedCommit,
    matching: readonly MatchingRelease[],
    policy: Policy | null,
  ): Promise<CommitGate> {
    return this.select(commit, matching, policy, async (release) => {
      const evaluation = await this.evaluations.evaluate(tx, release.id);
      return evaluation && this.toGate(commit, release, evaluation, policy);
    });
  }

  private async select(
    commit: DeployedCommit,
    matching: readonly MatchingRelease[],
    policy: Policy | null,
    evaluate: (release: MatchingRelease) => Promise<CommitGate | null>,
  ): Promise<CommitGate> {
    let closed: CommitGate | null = null;
    for (const release of matching) {
      const gate = await evaluate(release);
      if (gate?.canDeploy) return gate;
      closed ??= gate;
    }
    if (closed) return closed;
    const isNamed = policy === null || environmentRole(policy, commit.environment).kind !== 'unnamed';
    return {
      canDeploy: false,
      isDigestAccepted: commit.digest === null,
      atTarget: isAtTarget(commit, policy),
      release: null,
      decisionId: null,
      reasons: [isNamed ? ofNoRelease(commit.sha) : environmentNotNamed(commit.environment)],
    };
  }

  /** Returns null if the commit is not the candidate any more. It may have changed since the releases were listed. */
  private toGate(
    commit: DeployedCommit,
    { id, candidateSha, isCompared }: MatchingRelease,
    { verdict, release, inputs }: ReleaseEvaluationWithInputs,
    policy: Policy | null,
  ): CommitGate | null {
    const isCandidate =
      verdict.candidateShas.includes(commit.sha) || (isCompared && verdict.candidateSha === candidateSha);
    if (!isCandidate) return null;
    const { openUntil, reasons, validUntil } = verdict.gate;
    const now = this.clock.now().getTime();
    const { digest } = commit;
    const isAccepted = acceptsDigest(verdict.artifacts, digest);
    const ofDigest = isAccepted ? [] : [digestNotAccepted(digest)];
    const gate = {
      isDigestAccepted: isAccepted,
      atTarget: isAtTarget(commit, policy),
      release: { id, isShipped: release.record.shipped !== null },
      decisionId: null,
    };
    if (policy === null)
      return { ...gate, canDeploy: false, reasons: reasons.length === 0 ? [POLICY_UNKNOWN] : reasons };
    const place = answerEnvironment(inputs, commit.environment);
    if (place.kind === 'unnamed')
      return { ...gate, canDeploy: false, reasons: [environmentNotNamed(commit.environment)] };
    if (place.kind === 'chain') {
      const all = [...place.reasons, ...ofDigest];
      return { ...gate, canDeploy: all.length === 0 && validUntil > now, reasons: all };
    }
    const canDeploy = isAccepted && openUntil !== null && openUntil > now;
    return { ...gate, canDeploy, reasons: [...reasons, ...ofDigest] };
  }
}

const isAtTarget = ({ environment }: DeployedCommit, policy: Policy | null): boolean =>
  policy !== null && isSameEnvironment(environment, policy.deployment.target);

/** The gate of a shipped release needs no policy, but its target does. */
const POLICY_UNKNOWN: Condition = {
  code: 'policy_unknown',
  detail: 'The policy of the repository is not known, so its target is not known.',
  actor: 'service',
};

const ofNoRelease = (sha: Sha): Condition => ({
  code: 'not_the_candidate',
  detail: `The commit ${sha} is the candidate of no release.`,
  actor: 'deployer',
});
