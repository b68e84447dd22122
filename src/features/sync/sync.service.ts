import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import { Database } from '../../database/database.js';
import { toOrgId, type OrgId } from '../../database/ids.js';
import type { GitHubError } from '../../github/github-error.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import type { Installation } from '../../github/installations.js';
import { JobHandlers } from '../../jobs/job-handlers.js';
import { Jobs } from '../../jobs/jobs.js';
import { ReleaseDiscovery } from '../releases/release-discovery.service.js';
import { ReleaseRefresh } from '../releases/release-refresh.service.js';
import { ReleasesReader } from '../releases/releases.reader.js';
import { ReposReader } from '../repos/repos.reader.js';
import { InstallationReader } from './installation.reader.js';
import { InstallationsRepository } from './installations.repository.js';

/** Brings what is stored in line with the host, whatever deliveries were missed. */
@Injectable()
export class Sync implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly installations: InstallationsRepository,
    private readonly installed: InstallationReader,
    private readonly repos: ReposReader,
    private readonly releases: ReleasesReader,
    private readonly discovery: ReleaseDiscovery,
    private readonly refresh: ReleaseRefresh,
    private readonly github: GitHubGateway,
    private readonly jobs: Jobs,
    private readonly handlers: JobHandlers,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.handlers.register('sync-all', () => this.syncAll());
    this.handlers.register('sync-installation', ({ installationId }) => this.syncInstallation(installationId));
    this.handlers.register('sync-repository', ({ orgId, repositoryId }) => this.syncRepository(orgId, repositoryId));
  }

  /** Asks for every installation that the host knows, also for those that no delivery told of, and for lost ones. */
  async syncAll(): Promise<void> {
    const { value: known } = await this.github.installations.list();
    const ids = new Set([
      ...known.map(({ id }) => id),
      ...(await this.installed.list()).map(({ installationId }) => installationId),
    ]);
    for (const installationId of ids) await this.installed.askForSync(installationId);
  }

  async syncInstallation(installationId: number): Promise<void> {
    const { value: installation } = await this.github.installations.find(installationId);
    // An enterprise's id is no organization's: the two are counted apart, and may be equal.
    if (installation?.accountType === 'Enterprise') return;
    if (!installation) {
      const orgId = await this.installed.findOrganization(installationId);
      if (orgId) await this.database.inTenant(orgId, (tx) => this.installations.uninstall(tx, installationId));
      return;
    }
    const orgId = await this.workspaceOf(installation);
    if (installation.suspendedAt !== null) return;
    const { value: reached } = await this.github.installations.repositories(installationId);
    await this.database.inTenant(orgId, async (tx) => {
      const ids = await this.installations.replaceRepositories(tx, reached, this.clock.now());
      const queue = { kind: 'sync', of: String(installationId) } as const;
      for (const repositoryId of ids) {
        const key = `sync:${repositoryId}`;
        await this.jobs.add(tx, 'sync-repository', { orgId, repositoryId }, { key, queue });
      }
    });
  }

  /** Reads the repository's milestones, every fact that its releases rest on, and what was deployed meanwhile. */
  async syncRepository(orgId: OrgId, repositoryId: string): Promise<void> {
    const repository = await this.database.inTenant(orgId, (tx) => this.repos.find(tx, repositoryId));
    if (!repository?.ref) return;
    await this.refresh.readPolicy(orgId, repository);
    await this.discovery.discover(orgId, repository);
    const active = await this.database.inTenant(orgId, (tx) => this.releases.listActive(tx, repositoryId));
    const cause = { cause: 'sync', actor: 'service' };
    const failures: GitHubError[] = [];
    // One release that cannot be read keeps no other from being read.
    for (const { id, changeable } of active) {
      failures.push(...(await this.refresh.refresh(orgId, id, cause, { hints: changeable })).failures);
    }
    if (active.length > 0) {
      const key = `look-for-deployments:${repositoryId}`;
      await this.database.inTenant(orgId, (tx) =>
        this.jobs.add(tx, 'look-for-deployments', { orgId, repositoryId }, { key }),
      );
    }
    const passing = failures.find(({ isPassing }) => isPassing);
    if (passing) throw passing;
  }

  /** The workspace of the installation's account, made where there is none. Of two that make it one wins. */
  private async workspaceOf(installation: Installation): Promise<OrgId> {
    const known = await this.installed.findByOwner(installation.accountId);
    const orgId = known ?? toOrgId(randomUUID());
    try {
      await this.database.inTenant(orgId, (tx) =>
        this.installations.upsertOrganization(tx, installation, this.clock.now()),
      );
      return orgId;
    } catch (error) {
      const made = known === null ? await this.installed.findByOwner(installation.accountId) : null;
      if (made === null) throw error;
      return made;
    }
  }
}
