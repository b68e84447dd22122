import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import { Database } from '../../database/database.js';
import { toOrgId, type OrgId } from '../../database/ids.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import type { Installation } from '../../github/installations.js';
import { Jobs } from '../../jobs/jobs.js';
import { WorkspaceReader } from '../../workspaces/workspace.reader.js';
import { InstallationsRepository } from './installations.repository.js';

/** Brings a workspace in line with the installation of the app in its organization. */
@Injectable()
export class InstallationSync {
  constructor(
    private readonly database: Database,
    private readonly installations: InstallationsRepository,
    private readonly workspaces: WorkspaceReader,
    private readonly github: GitHubGateway,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /** Reads which repositories the installation reaches, and has each of them read. */
  async sync(installationId: number): Promise<void> {
    const { value: installation } = await this.github.installations.find(installationId);
    // An enterprise's id is no organization's: the two are counted apart, and may be equal.
    if (installation?.accountType === 'Enterprise') return;
    if (!installation) {
      const orgId = await this.workspaces.findByInstallation(installationId);
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

  /** The workspace of the installation's account, made where there is none. Of two that make it one wins. */
  async workspaceOf(installation: Installation): Promise<OrgId> {
    const known = await this.workspaces.findByOwner(installation.accountId);
    const orgId = known ?? toOrgId(randomUUID());
    try {
      await this.database.inTenant(orgId, (tx) =>
        this.installations.upsertOrganization(tx, installation, this.clock.now()),
      );
      return orgId;
    } catch (error) {
      const made = known === null ? await this.workspaces.findByOwner(installation.accountId) : null;
      if (made === null) throw error;
      return made;
    }
  }
}
