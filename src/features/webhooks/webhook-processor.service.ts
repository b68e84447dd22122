import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { OrgId } from '../../database/ids.js';
import { Clock } from '../../clock/clock.js';
import { Database } from '../../database/database.js';
import type { FactKey } from '../../domain/release/facts.js';
import { JobHandlers } from '../../jobs/job-handlers.js';
import { Jobs } from '../../jobs/jobs.js';
import { ReleaseDiscovery } from '../releases/release-discovery.service.js';
import { ReleaseRefresh } from '../releases/release-refresh.service.js';
import { ReleasesReader } from '../releases/releases.reader.js';
import type { GovernedRepository } from '../repos/governed-repository.js';
import { ReposReader } from '../repos/repos.reader.js';
import { InstallationReader } from '../sync/installation.reader.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { hintsOf, type WebhookHints } from './webhook-hints.js';

/** Does what deliveries hint at. Doing it twice changes nothing more than doing it once. */
@Injectable()
export class WebhookProcessor implements OnModuleInit {
  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly installations: InstallationReader,
    private readonly repos: ReposReader,
    private readonly releases: ReleasesReader,
    private readonly discovery: ReleaseDiscovery,
    private readonly refresh: ReleaseRefresh,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly handlers: JobHandlers,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.handlers.register('process-webhook', ({ guid }, { lastTry }) => this.process(guid, lastTry));
  }

  async process(guid: string, lastTry = false): Promise<void> {
    const delivery = await this.deliveries.find(guid);
    if (delivery?.status !== 'pending' || delivery.body === null) return;
    const payload = parse(delivery.body);
    const hints = hintsOf(delivery.event, payload);
    try {
      const outcome = await this.follow(hints, delivery.event, delivery.installationId, repositoryIdOf(payload));
      await this.deliveries.finish(guid, outcome, null, this.clock.now());
    } catch (error) {
      // A dead letter is seen and counted, and a redelivery revives it.
      if (lastTry) await this.deliveries.finish(guid, 'dead', String(error).slice(0, 1000), this.clock.now());
      throw error;
    }
  }

  private async follow(
    hints: WebhookHints,
    event: string,
    installationId: number | null,
    repositoryGithubId: number | null,
  ): Promise<'done' | 'ignored'> {
    if (installationId === null) return 'ignored';
    const orgId = await this.installations.findOrganization(installationId);
    const concerned = orgId === null ? null : await this.repositoriesOf(orgId, hints, repositoryGithubId);
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

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

function repositoryIdOf(payload: unknown): number | null {
  const id = (payload as { repository?: { id?: unknown } | null } | null)?.repository?.id;
  return Number.isSafeInteger(id) ? (id as number) : null;
}
