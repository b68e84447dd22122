import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import { JobHandler, type JobRun } from '../../jobs/job-handlers.js';
import type { JobPayload } from '../../jobs/job.js';
import { JobsService } from '../../jobs/jobs.service.js';
import type { Repository } from '../../workspaces/repositories.repository.js';
import { WorkspacesQueries } from '../../workspaces/workspaces.queries.js';
import { MembersService } from '../accounts/members/members.service.js';
import { DeploymentHoldsService } from '../deployment-holds/deployment-holds.service.js';
import { ReleaseDiscoveryService } from '../releases/discovery/release-discovery.service.js';
import { ReleaseRefreshService } from '../releases/evaluation/release-refresh.service.js';
import { type FactHint, FactHintsRepository, type FactNumber } from '../releases/facts/fact-hints.repository.js';
import { FactsService } from '../releases/facts/facts.service.js';
import { ReleasesQueries } from '../releases/records/releases.queries.js';
import { RepositoryFollowUpService } from '../sync/repository-follow-up.service.js';
import { type AffectedRepositories, AffectedRepositoriesQueries } from './affected-repositories.queries.js';
import { DeliveriesService } from './deliveries.service.js';
import type { DeliveryIds } from './payload-bytes.js';
import { readPayloadChanges, type PayloadChanges } from './payload-changes.js';

type MembershipChanges = Pick<PayloadChanges, 'belonging' | 'reading'>;

const POLICY: FactHint = { kind: 'policy', key: '' };

/** Facts of repositories that may have changed before the number was taken. */
interface SavedHints {
  readonly repositories: readonly Repository[];
  readonly hints: readonly FactHint[];
  readonly before: FactNumber;
}

/** Lists the facts of a repository that may have changed. A changed default branch may have changed the policy. */
const listHints = ({ defaultBranch }: Repository, { facts, branch }: PayloadChanges): readonly FactHint[] => [
  ...facts,
  ...(branch === null ? [] : [{ kind: 'refs', key: branch } as const]),
  ...(branch === defaultBranch ? [POLICY] : []),
];

/** Returns whether the organization default may have changed. */
const mayChangeDefault = ({ holdsPolicyDefault }: Repository, hints: readonly FactHint[]): boolean =>
  holdsPolicyDefault && hints.some(({ kind }) => kind === null || kind === 'policy');

/**
 * Processes deliveries: reads the facts that may have changed from GitHub, invalidates the affected memberships, and enqueues
 * the jobs that follow. Processing a delivery twice has the same result as processing it once.
 */
@Injectable()
export class WebhookProcessorService {
  constructor(
    private readonly affected: AffectedRepositoriesQueries,
    private readonly releases: ReleasesQueries,
    private readonly discovery: ReleaseDiscoveryService,
    private readonly refresh: ReleaseRefreshService,
    private readonly facts: FactsService,
    private readonly hints: FactHintsRepository,
    private readonly database: Database,
    private readonly jobs: JobsService,
    private readonly followUp: RepositoryFollowUpService,
    private readonly workspaces: WorkspacesQueries,
    private readonly members: MembersService,
    private readonly holds: DeploymentHoldsService,
    private readonly deliveries: DeliveriesService,
    private readonly clock: Clock,
  ) {}

  async refreshAffected(
    changes: PayloadChanges,
    { event, installationId, repositoryId }: DeliveryIds & { readonly event: string },
  ): Promise<'done' | 'ignored'> {
    if (installationId === null) return 'ignored';
    const { wholeOrganization, installationChanged, repositoriesChanged, reached } = changes;
    const affected = await this.affected.find({ installationId, repositoryId, wholeOrganization, reached });
    if (installationChanged) await this.jobs.enqueueGlobal('sync-installation', { installationId });
    // A delivery about an unknown installation or repository may come before the one that announces it, or without it.
    else if (repositoriesChanged || affected === null)
      await this.jobs.enqueueGlobal('sync-installation', { installationId, changesOnly: true });
    if (affected === null) return 'done';
    const { orgId } = affected;
    for (const { repositories, hints, before } of await this.saveHints(affected, changes)) {
      const cause = `webhook ${event}`;
      if (repositories.some((repository) => mayChangeDefault(repository, hints))) {
        await this.refresh.invalidateFacts(orgId, null, [POLICY], cause);
        await this.database.inTenant(orgId, (tx) => this.jobs.enqueue(tx, 'record-policy-default', { orgId }));
      }
      try {
        for (const repository of repositories)
          await this.refreshRepository(orgId, repository, changes, { cause, before });
      } catch (error) {
        // The facts that were not read may have changed. They are stale until they are read, also if this was the last attempt.
        for (const { id } of repositories) {
          await this.database.inTenant(orgId, (tx) => this.facts.expire(tx, id, hints, { cause, before }));
        }
        throw error;
      }
    }
    return 'done';
  }

  /**
   * Saves which facts may have changed, before any of them is read. This includes facts that are being read for the first time
   * and are not stored yet.
   */
  private async saveHints(
    { orgId, repositories }: AffectedRepositories,
    changes: PayloadChanges,
  ): Promise<readonly SavedHints[]> {
    const save = (repositoryId: string | null, hints: readonly FactHint[]): Promise<FactNumber> =>
      this.database.inTenant(orgId, (tx) => this.hints.note(tx, repositoryId, hints));
    if (changes.wholeOrganization) {
      return [{ repositories, hints: changes.facts, before: await save(null, changes.facts) }];
    }
    const saved: SavedHints[] = [];
    for (const repository of repositories) {
      const milestones = changes.milestones.map((number): FactHint => ({ kind: 'milestone', key: String(number) }));
      const hints = [...listHints(repository, changes), ...milestones];
      saved.push({ repositories: [repository], hints, before: await save(repository.id, hints) });
    }
    return saved;
  }

  private async refreshRepository(
    orgId: OrgId,
    repository: Repository,
    changes: PayloadChanges,
    { cause, before }: { readonly cause: string; readonly before: FactNumber },
  ): Promise<void> {
    for (const number of changes.milestones) await this.discovery.discoverOne(orgId, repository, number);
    const facts = listHints(repository, changes);
    const changed = await this.database.inTenant(orgId, async (tx) => {
      // If all facts of a kind may have changed, only those are read that a release needs.
      const expired = facts.filter(({ key }) => key === null);
      if (expired.length > 0) await this.facts.expire(tx, repository.id, expired, { cause, before });
      const named = facts.filter(({ key }) => key !== null);
      return this.releases.listUsedFacts(tx, repository.id, named);
    });
    for (const deploymentId of changes.deployments) {
      await this.database.inTenant(orgId, (tx) =>
        this.jobs.enqueue(tx, 'record-deployment', { orgId, repositoryId: repository.id, deploymentId }),
      );
    }
    await this.holds.request(orgId, repository.id, changes.holds);
    if (changes.managedBranch !== null) await this.followUp.afterPull(orgId, repository.id, changes.managedBranch);
    for (const head of repository.managed ? changes.heads : []) {
      const { sha: headSha, mergeGroup } = head;
      const payload = { orgId, repositoryId: repository.id, headSha, mergeGroup };
      await this.database.inTenant(orgId, (tx) => this.jobs.enqueue(tx, 'run-merge-check', payload));
    }
    // Before the branch head is read: its gates stay closed until the workflow files of the new head are checked.
    if (changes.branch !== null) await this.followUp.afterPush(orgId, repository.id);
    await this.refresh.refreshFacts(orgId, repository, changed, cause);
    // After the read of the policy, because the rules are compared with it.
    if (changes.branchRules || changes.branch === repository.defaultBranch) {
      await this.followUp.afterRulesChanged(orgId, repository.id);
    }
  }

  /** Hides private data from the affected users until GitHub confirms their access. */
  async invalidateMembers({ belonging, reading }: MembershipChanges, installationId: number | null): Promise<void> {
    const isEmpty = belonging.length === 0 && reading !== 'everyone' && reading.length === 0;
    if (installationId === null || isEmpty) return;
    const orgId = await this.workspaces.findByInstallation(installationId);
    if (orgId !== null) await this.members.invalidate(orgId, { membership: belonging, repositoryAccess: reading });
  }

  @JobHandler('process-webhook')
  async process({ guid }: JobPayload<'process-webhook'>, { isLastAttempt }: JobRun): Promise<void> {
    const delivery = await this.deliveries.find(guid);
    // A dead letter has a job only if GitHub sent the delivery again.
    const isOpen = delivery?.status === 'pending' || delivery?.status === 'dead';
    if (!isOpen || delivery.body === null) return;
    const payload = parse(delivery.body);
    const changes = readPayloadChanges(delivery.event, payload);
    try {
      const { event, installationId } = delivery;
      const scope = { event, installationId, repositoryId: readRepositoryId(payload) };
      // First, so that revoked access ends even if the rest fails and is retried.
      await this.invalidateMembers(changes, installationId);
      const outcome = await this.refreshAffected(changes, scope);
      await this.deliveries.finish(guid, outcome, null, this.clock.now());
    } catch (error) {
      // A redelivery processes a dead letter again.
      if (isLastAttempt) await this.deliveries.finish(guid, 'dead', String(error).slice(0, 1000), this.clock.now());
      throw error;
    }
  }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

function readRepositoryId(payload: unknown): number | null {
  const id = (payload as { repository?: { id?: unknown } | null } | null)?.repository?.id;
  return Number.isSafeInteger(id) ? (id as number) : null;
}
