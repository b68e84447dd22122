import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import { JobHandlers } from '../../jobs/job-handlers.js';
import { JobsService } from '../../jobs/jobs.service.js';
import type { Repository } from '../../workspaces/repositories.repository.js';
import { WorkspacesQueries } from '../../workspaces/workspaces.queries.js';
import { MembersService } from '../accounts/members/members.service.js';
import { ReleaseDiscoveryService } from '../releases/discovery/release-discovery.service.js';
import { ReleaseRefreshService } from '../releases/evaluation/release-refresh.service.js';
import { type FactHint, FactHints, type FactNumber } from '../releases/facts/fact-hints.repository.js';
import { FactsRepository } from '../releases/facts/facts.repository.js';
import { ReleasesQueries } from '../releases/records/releases.queries.js';
import { RepositoryFollowUpService } from '../sync/repository-follow-up.service.js';
import { type AffectedRepositories, AffectedRepositoriesQueries } from './affected-repositories.queries.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { readPayloadChanges, type PayloadChanges } from './payload-changes.js';

type MembershipChanges = Pick<PayloadChanges, 'belonging' | 'reading'>;

const POLICY: FactHint = { kind: 'policy', key: '' };

/** Whom a delivery concerns, by GitHub's numbers. */
export interface DeliveryScope {
  readonly event: string;
  readonly installationId: number | null;
  readonly repositoryId: number | null;
}

/** Facts of repositories that may have changed before the number was taken. */
interface Noted {
  readonly repositories: readonly Repository[];
  readonly noted: readonly FactHint[];
  readonly before: FactNumber;
}

/** The facts that may have changed: a branch is part of those of each prefix of its name, and the default one has the policy. */
const listHints = ({ defaultBranch }: Repository, { facts, branch }: PayloadChanges): readonly FactHint[] => [
  ...facts,
  ...(branch === null ? [] : [{ kind: 'refs', key: branch } as const]),
  ...(branch === defaultBranch ? [POLICY] : []),
];

/** Whether the default policy of all repositories may be another one, because that of this repository may be. */
const changesDefault = ({ name }: Repository, noted: readonly FactHint[]): boolean =>
  name.toLowerCase() === '.github' && noted.some(({ kind }) => kind === null || kind === 'policy');

/** Asks GitHub again about whatever deliveries hint at. Has GitHub asked again about people whom deliveries are about, and shows them nothing private until it answers. Does what deliveries hint at. Doing it twice changes nothing more than doing it once. */
@Injectable()
export class WebhookProcessorService implements OnModuleInit {
  constructor(
    private readonly affected: AffectedRepositoriesQueries,
    private readonly releases: ReleasesQueries,
    private readonly discovery: ReleaseDiscoveryService,
    private readonly refresh: ReleaseRefreshService,
    private readonly facts: FactsRepository,
    private readonly hints: FactHints,
    private readonly database: Database,
    private readonly jobs: JobsService,
    private readonly followUp: RepositoryFollowUpService,
    private readonly workspaces: WorkspacesQueries,
    private readonly members: MembersService,
    private readonly deliveries: DeliveriesRepository,
    private readonly handlers: JobHandlers,
    private readonly clock: Clock,
  ) {}

  async refreshAffected(
    hints: PayloadChanges,
    { event, installationId, repositoryId }: DeliveryScope,
  ): Promise<'done' | 'ignored'> {
    if (installationId === null) return 'ignored';
    const { wholeOrganization, installationChanged, repositoriesChanged, reached } = hints;
    const affected = await this.affected.find({ installationId, repositoryId, wholeOrganization, reached });
    if (installationChanged) await this.jobs.enqueueGlobal('sync-installation', { installationId });
    // What tells of an installation or a repository that is not known was faster than what told of that one, or the only
    // one to arrive: whatever is not known yet is read whole.
    else if (repositoriesChanged || affected === null)
      await this.jobs.enqueueGlobal('sync-installation', { installationId, changesOnly: true });
    if (affected === null) return 'done';
    const { orgId } = affected;
    for (const { repositories, noted, before } of await this.note(affected, hints)) {
      const cause = `webhook ${event}`;
      if (repositories.some((repository) => changesDefault(repository, noted))) {
        await this.refresh.invalidateFacts(orgId, null, [POLICY], cause);
      }
      try {
        for (const repository of repositories)
          await this.refreshRepository(orgId, repository, hints, { cause, before });
      } catch (error) {
        // Until the next try, or for good where this was the last: what was not read since may be another by now.
        for (const { id } of repositories) {
          await this.database.inTenant(orgId, (tx) => this.facts.expire(tx, id, noted, { cause, before }));
        }
        throw error;
      }
    }
    return 'done';
  }

  /**
   * Takes note of the facts that may have changed, before anything of them is looked for: also of those that are being read for the
   * first time at this moment, of which nothing is stored yet.
   */
  private async note({ orgId, repositories }: AffectedRepositories, hints: PayloadChanges): Promise<readonly Noted[]> {
    const noteAbout = (repositoryId: string | null, noted: readonly FactHint[]): Promise<FactNumber> =>
      this.database.inTenant(orgId, (tx) => this.hints.note(tx, repositoryId, noted));
    if (hints.wholeOrganization) {
      return [{ repositories, noted: hints.facts, before: await noteAbout(null, hints.facts) }];
    }
    const each: Noted[] = [];
    for (const repository of repositories) {
      const milestones = hints.milestones.map((number): FactHint => ({ kind: 'milestone', key: String(number) }));
      const noted = [...listHints(repository, hints), ...milestones];
      each.push({ repositories: [repository], noted, before: await noteAbout(repository.id, noted) });
    }
    return each;
  }

  private async refreshRepository(
    orgId: OrgId,
    repository: Repository,
    hints: PayloadChanges,
    { cause, before }: { readonly cause: string; readonly before: FactNumber },
  ): Promise<void> {
    for (const number of hints.milestones) await this.discovery.discoverOne(orgId, repository, number);
    const facts = listHints(repository, hints);
    const changed = await this.database.inTenant(orgId, async (tx) => {
      // Of all facts of a kind those alone are read that a release asks for.
      const expired = facts.filter(({ key }) => key === null);
      if (expired.length > 0) await this.facts.expire(tx, repository.id, expired, { cause, before });
      const named = facts.filter(({ key }) => key !== null);
      return this.releases.listUsedFacts(tx, repository.id, named);
    });
    for (const deploymentId of hints.deployments) {
      await this.database.inTenant(orgId, (tx) =>
        this.jobs.enqueue(tx, 'record-deployment', { orgId, repositoryId: repository.id, deploymentId }),
      );
    }
    if (hints.installationBranch !== null)
      await this.followUp.afterPull(orgId, repository.id, hints.installationBranch);
    for (const head of repository.managed ? hints.heads : []) {
      const { sha: headSha, mergeGroup } = head;
      const payload = { orgId, repositoryId: repository.id, headSha, mergeGroup };
      await this.database.inTenant(orgId, (tx) => this.jobs.enqueue(tx, 'run-merge-check', payload));
    }
    // Before it is known that the branch moved: until it is looked at no gate opens that rests on it.
    if (hints.branch !== null) await this.followUp.afterPush(orgId, repository.id);
    await this.refresh.refreshFacts(orgId, repository, changed, cause);
    // After the policy was read: what it says now is what the rules are held against.
    if (hints.branchRules || hints.branch === repository.defaultBranch) {
      await this.followUp.afterRulesChanged(orgId, repository.id);
    }
  }

  async invalidateMembers({ belonging, reading }: MembershipChanges, installationId: number | null): Promise<void> {
    const isEmpty = belonging.length === 0 && reading !== 'everyone' && reading.length === 0;
    if (installationId === null || isEmpty) return;
    const orgId = await this.workspaces.findByInstallation(installationId);
    if (orgId !== null) await this.members.invalidate(orgId, { belonging, reading });
  }

  onModuleInit(): void {
    this.handlers.register('process-webhook', ({ guid }, { isLastAttempt }) => this.process(guid, isLastAttempt));
  }

  async process(guid: string, isLastAttempt = false): Promise<void> {
    const delivery = await this.deliveries.find(guid);
    // Also one that was given up: it came again in that moment, else nobody would have been told to do it.
    const isOpen = delivery?.status === 'pending' || delivery?.status === 'dead';
    if (!isOpen || delivery.body === null) return;
    const payload = parse(delivery.body);
    const hints = readPayloadChanges(delivery.event, payload);
    try {
      const { event, installationId } = delivery;
      const scope = { event, installationId, repositoryId: readRepositoryId(payload) };
      // First, because it waits for nobody: who lost something loses it though the rest must be tried again.
      await this.invalidateMembers(hints, installationId);
      const outcome = await this.refreshAffected(hints, scope);
      await this.deliveries.finish(guid, outcome, null, this.clock.now());
    } catch (error) {
      // A dead letter is seen and counted, and a redelivery revives it.
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
