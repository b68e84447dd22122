import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { Database, type TenantTransaction } from '../../database/database.js';
import { type OrgId, toOrgId } from '../../database/ids.js';
import { EventsRepository } from '../../events/events.repository.js';
import type { Installation } from '../../github/api/installations.js';
import type { GitHubRepository } from '../../github/api/repository-calls.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import { GitHubError } from '../../github/transport/github-error.js';
import { JobHandler } from '../../jobs/job-handlers.js';
import type { JobPayload } from '../../jobs/job.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { WorkspacesQueries } from '../../workspaces/workspaces.queries.js';
import { AuditLogService } from '../audit/audit-log.service.js';
import { ReleaseRefreshService } from '../releases/evaluation/release-refresh.service.js';
import type { FactHint } from '../releases/facts/fact-hints.repository.js';
import { FactsService } from '../releases/facts/facts.service.js';
import { RepositoryTokensService } from '../repositories/tokens/repository-tokens.service.js';
import { type InstallationState, InstallationsRepository, type SyncedRepository } from './installations.repository.js';
import { SyncRunsService } from './sync-runs.service.js';

/** Describes a failed read for users: GitHub's message, without internal details. */
export const describeFailure = (error: unknown): string =>
  error instanceof GitHubError ? error.message : 'Internal error. The service tries again.';

const EVERYTHING: FactHint = { kind: null, key: null };

/** Reconciles workspaces with the installations of the app. */
@Injectable()
export class InstallationSyncService {
  constructor(
    private readonly database: Database,
    private readonly installations: InstallationsRepository,
    private readonly workspaces: WorkspacesQueries,
    private readonly github: GitHubGateway,
    private readonly jobs: JobsService,
    private readonly runs: SyncRunsService,
    private readonly refresh: ReleaseRefreshService,
    private readonly facts: FactsService,
    private readonly tokens: RepositoryTokensService,
    private readonly events: EventsRepository,
    private readonly audit: AuditLogService,
    private readonly clock: Clock,
  ) {}

  /** Reads the repositories of the installation and enqueues a sync of all of them, or of new and changed ones only. */
  @JobHandler('sync-installation')
  async sync({ installationId, changesOnly = false }: JobPayload<'sync-installation'>): Promise<void> {
    // A run that starts during the request must not get a result that is older than the run.
    const orgId = await this.workspaces.findByInstallation(installationId);
    const run = orgId && (await this.database.inTenant(orgId, (tx) => this.runs.findRunning(tx)));
    try {
      await this.reconcile(installationId, changesOnly, run);
    } catch (error) {
      await this.recordFailure(installationId, run, error);
      throw error;
    }
  }

  private async reconcile(installationId: number, changesOnly: boolean, run: string | null): Promise<void> {
    const { value: installation } = await this.github.installations.find(installationId);
    // Ids of enterprises and of organizations are separate and may be equal.
    if (installation?.accountType === 'Enterprise') return;
    if (!installation) {
      const orgId = await this.workspaces.findByInstallation(installationId);
      if (orgId) await this.uninstall(orgId, installationId);
      return;
    }
    const orgId = await this.findOrCreateWorkspace(installation);
    if (installation.suspendedAt !== null) {
      await this.database.inTenant(orgId, (tx) => this.runs.fail(tx, 'The app is suspended for the organization.'));
      return;
    }
    const { value: reached } = await this.github.installations.repositories(installationId);
    for (const id of await this.database.inTenant(orgId, (tx) => this.installations.listReturned(tx, reached))) {
      await this.refresh.invalidateFacts(orgId, id, [EVERYTHING], 'repository returned');
    }
    await this.database.inTenant(orgId, async (tx) => {
      const repositories = await this.replaceRepositories(tx, reached);
      const repositoryIds = repositories.filter(({ changed }) => changed || !changesOnly).map(({ id }) => id);
      const begun = changesOnly ? null : await this.runs.begin(tx);
      if (begun !== null && (begun.isNew || begun.id === run))
        await this.runs.setRepositories(tx, begun.id, repositoryIds);
      else await this.runs.addRepositories(tx, repositoryIds);
      for (const repositoryId of repositoryIds) {
        await this.jobs.enqueue(tx, 'sync-repository', { orgId, repositoryId, installationId });
      }
    });
  }

  /**
   * Saves the repositories of the installation and announces the changed ones. Closes the gates of the removed ones, and reads the
   * organization default again if it has another source.
   */
  private async replaceRepositories(
    tx: TenantTransaction,
    reached: readonly GitHubRepository[],
  ): Promise<readonly SyncedRepository[]> {
    const formerDefault = await this.installations.findOrganizationDefault(tx);
    const { repositories, removed } = await this.installations.replaceRepositories(tx, reached, this.clock.now());
    for (const { id: repositoryId, changed } of repositories) {
      if (changed) await this.events.append(tx, { type: 'repo.updated', repositoryId });
    }
    for (const repositoryId of removed) {
      // Shipped releases have final facts and would not be evaluated again if the repository is added again.
      await this.facts.invalidateRepository(tx, repositoryId, 'repository removed', { ofShipped: false });
      await this.events.append(tx, { type: 'repo.updated', repositoryId });
    }
    if ((await this.installations.findOrganizationDefault(tx)) !== formerDefault) {
      await this.jobs.enqueue(tx, 'invalidate-policies', { orgId: tx.orgId });
      await this.jobs.enqueue(tx, 'record-policy-default', { orgId: tx.orgId });
    }
    await this.tokens.deleteUnreachable(tx);
    return repositories;
  }

  /**
   * Invalidates all facts if the installation changed, because there were no deliveries while the app was suspended, not
   * installed or without a permission. Runs before anything else is saved, so that no gate opens and a retry does the same.
   */
  private async invalidateChangedMeanwhile(orgId: OrgId, installation: Installation): Promise<void> {
    const isOther = await this.database.inTenant(orgId, (tx) => this.installations.isOther(tx, installation));
    if (isOther) await this.refresh.invalidateFacts(orgId, null, [EVERYTHING], 'installation');
  }

  private async uninstall(orgId: OrgId, installationId: number): Promise<void> {
    await this.refresh.invalidateFacts(orgId, null, [EVERYTHING], 'uninstalled');
    await this.database.inTenant(orgId, async (tx) => {
      const login = await this.installations.uninstall(tx, installationId);
      await this.tokens.deleteUnreachable(tx);
      await this.runs.fail(tx, 'The app is not installed for the organization.');
      if (login !== null) await this.record(tx, 'installation.unlinked', login, installationId, 'uninstalled');
    });
  }

  /** Saves the failure, also for a scheduled sync. */
  private async recordFailure(installationId: number, run: string | null, error: unknown): Promise<void> {
    const orgId = await this.workspaces.findByInstallation(installationId);
    if (orgId === null) return;
    await this.database.inTenant(orgId, async (tx) => {
      const begun = await this.runs.begin(tx);
      if (begun.isNew || begun.id === run) await this.runs.fail(tx, describeFailure(error));
    });
  }

  /** Returns the workspace of the installation's account. Creates it if there is none; of two concurrent calls one creates it. */
  async findOrCreateWorkspace(installation: Installation): Promise<OrgId> {
    const known = await this.workspaces.findByOwner(installation.accountId);
    const orgId = known ?? toOrgId(randomUUID());
    if (known !== null) await this.invalidateChangedMeanwhile(known, installation);
    try {
      await this.database.inTenant(orgId, async (tx) => {
        const before = await this.installations.lockState(tx);
        await this.installations.upsertOrganization(tx, installation, this.clock.now());
        await this.tokens.deleteUnreachable(tx);
        await this.recordChange(tx, before, installation);
        if (before !== 'live') {
          await this.jobs.enqueue(tx, 'add-signed-in-users', { orgId });
        }
      });
      return orgId;
    } catch (error) {
      const created = known === null ? await this.workspaces.findByOwner(installation.accountId) : null;
      if (created === null) throw error;
      return created;
    }
  }

  private async recordChange(
    tx: TenantTransaction,
    before: InstallationState,
    { id, accountLogin, suspendedAt }: Installation,
  ): Promise<void> {
    if (before === 'live' && suspendedAt !== null)
      await this.record(tx, 'installation.unlinked', accountLogin, id, 'suspended');
    if (before === 'suspended' && suspendedAt === null)
      await this.record(tx, 'installation.linked', accountLogin, id, 'unsuspended');
  }

  private async record(
    tx: TenantTransaction,
    action: 'installation.linked' | 'installation.unlinked',
    subject: string,
    installationId: number,
    reason: 'suspended' | 'unsuspended' | 'uninstalled',
  ): Promise<void> {
    await this.audit.append(tx, {
      actor: { type: 'service' },
      action,
      subject,
      data: { installationId, reason },
      repositoryIds: [],
    });
  }
}
