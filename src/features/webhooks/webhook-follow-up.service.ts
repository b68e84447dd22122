import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import type { FactKey } from '../../domain/release/facts.js';
import { Jobs } from '../../jobs/jobs.js';
import { ReleaseDiscovery } from '../releases/release-discovery.service.js';
import { ReleaseRefresh } from '../releases/release-refresh.service.js';
import { ReleasesReader } from '../releases/releases.reader.js';
import type { GovernedRepository } from '../repos/governed-repository.js';
import { ReposReader } from '../repos/repos.reader.js';
import { InstallationReader } from '../sync/installation.reader.js';
import type { WebhookHints } from './webhook-hints.js';

/** Whom a delivery concerns, by the host's numbers. */
export interface Concern {
  readonly event: string;
  readonly installationId: number | null;
  readonly repositoryId: number | null;
}

/** Asks the host again about whatever deliveries hint at. */
@Injectable()
export class WebhookFollowUp {
  constructor(
    private readonly installations: InstallationReader,
    private readonly repos: ReposReader,
    private readonly releases: ReleasesReader,
    private readonly discovery: ReleaseDiscovery,
    private readonly refresh: ReleaseRefresh,
    private readonly database: Database,
    private readonly jobs: Jobs,
  ) {}

  async follow(hints: WebhookHints, { event, installationId, repositoryId }: Concern): Promise<'done' | 'ignored'> {
    if (installationId === null) return 'ignored';
    const orgId = await this.installations.findOrganization(installationId);
    const concerned = orgId === null ? null : await this.repositoriesOf(orgId, hints, repositoryId);
    // What tells of an installation or a repository that is not known was faster than what told of that one, or the only
    // one to arrive: everything is read anew.
    if (hints.installationChanged || concerned === null) await this.installations.askForSync(installationId);
    if (orgId === null || concerned === null) return 'done';
    for (const repository of concerned) await this.followIn(orgId, repository, hints, event);
    return 'done';
  }

  /** The repositories that the delivery concerns; null where it names one that is not known. */
  private async repositoriesOf(
    orgId: OrgId,
    { wholeOrganization }: WebhookHints,
    repositoryGithubId: number | null,
  ): Promise<readonly GovernedRepository[] | null> {
    return this.database.inTenant(orgId, async (tx) => {
      if (wholeOrganization) return this.repos.list(tx);
      if (repositoryGithubId === null) return [];
      const found = await this.repos.findByGithubId(tx, repositoryGithubId);
      return found && !found.removed ? [found] : null;
    });
  }

  private async followIn(
    orgId: OrgId,
    repository: GovernedRepository,
    hints: WebhookHints,
    event: string,
  ): Promise<void> {
    for (const number of hints.milestones) await this.discovery.discoverOne(orgId, repository, number);
    const facts = [...hints.facts, ...(await this.factsOfBranch(orgId, repository, hints.branch))];
    const changed = await this.database.inTenant(orgId, (tx) => this.releases.listRestedOn(tx, repository.id, facts));
    for (const deploymentId of hints.deployments) {
      const key = `deployment:${repository.id}:${deploymentId}`;
      await this.database.inTenant(orgId, (tx) =>
        this.jobs.add(tx, 'record-deployment', { orgId, repositoryId: repository.id, deploymentId }, { key }),
      );
    }
    await this.refresh.readChanged(orgId, repository, changed, `webhook ${event}`);
  }

  /** The facts that a branch is part of: those of any prefix of its name that a release asks about, and the policy. */
  private async factsOfBranch(
    orgId: OrgId,
    repository: GovernedRepository,
    branch: string | null,
  ): Promise<readonly FactKey[]> {
    if (branch === null) return [];
    const prefixes = await this.database.inTenant(orgId, (tx) => this.releases.listRefPrefixes(tx, repository.id));
    return [
      ...prefixes.filter((prefix) => branch.startsWith(prefix)).map((key): FactKey => ({ kind: 'refs', key })),
      ...(branch === repository.defaultBranch ? [{ kind: 'policy', key: '' } as const] : []),
    ];
  }
}
