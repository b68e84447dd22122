import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import type { FactKey } from '../../domain/release/facts.js';
import { Jobs } from '../../jobs/jobs.js';
import { EnforcementRequestRecorder } from '../enforcement/enforcement-request.recorder.js';
import { ReleaseDiscovery } from '../releases/release-discovery.service.js';
import { ReleaseRefresh } from '../releases/release-refresh.service.js';
import { ReleasesReader } from '../releases/releases.reader.js';
import type { GovernedRepository } from '../repos/governed-repository.js';
import { SetupFollowUp } from '../sync/setup-follow-up.service.js';
import { SyncRequestRecorder } from '../sync/sync-request.recorder.js';
import { ConcernedRepositoriesReader } from './concerned-repositories.reader.js';
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
    private readonly concerned: ConcernedRepositoriesReader,
    private readonly releases: ReleasesReader,
    private readonly discovery: ReleaseDiscovery,
    private readonly refresh: ReleaseRefresh,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly syncRequests: SyncRequestRecorder,
    private readonly checks: EnforcementRequestRecorder,
    private readonly setup: SetupFollowUp,
  ) {}

  async follow(hints: WebhookHints, { event, installationId, repositoryId }: Concern): Promise<'done' | 'ignored'> {
    if (installationId === null) return 'ignored';
    const { wholeOrganization, installationChanged, repositoriesChanged } = hints;
    const concerned = await this.concerned.find({ installationId, repositoryId, wholeOrganization });
    if (installationChanged) await this.syncRequests.askFor(installationId);
    // What tells of an installation or a repository that is not known was faster than what told of that one, or the only
    // one to arrive: whatever is not known yet is read whole.
    else if (repositoriesChanged || concerned === null) await this.syncRequests.askForChanges(installationId);
    if (concerned === null) return 'done';
    const { orgId, repositories } = concerned;
    for (const repository of repositories) await this.followIn(orgId, repository, hints, event);
    return 'done';
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
    if (hints.installationBranch !== null) await this.setup.afterPull(orgId, repository.id, hints.installationBranch);
    for (const head of repository.managed ? hints.heads : []) {
      await this.database.inTenant(orgId, (tx) => this.checks.askFor(tx, repository.id, head));
    }
    // Before it is known that the branch moved: until it is looked at no gate opens that rests on it.
    if (hints.branch !== null) await this.setup.afterPush(orgId, repository.id);
    await this.refresh.readChanged(orgId, repository, changed, `webhook ${event}`);
    // After the policy was read: what it says now is what the rules are held against.
    if (hints.branchRules || hints.branch === repository.defaultBranch) {
      await this.setup.afterRulesChanged(orgId, repository.id);
    }
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
