import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import { Jobs } from '../../jobs/jobs.js';
import type { GovernedRepository } from '../../workspaces/governed-repository.js';
import { ReleaseDiscovery } from '../releases/discovery/release-discovery.service.js';
import { ReleaseRefresh } from '../releases/evaluation/release-refresh.service.js';
import { FactHints, type FactHint, type FactNumber } from '../releases/facts/fact-hints.repository.js';
import { FactsRecorder } from '../releases/facts/facts.recorder.js';
import { ReleasesReader } from '../releases/records/releases.reader.js';
import { SetupFollowUp } from '../sync/repository-follow-up.service.js';
import { type ConcernedRepositories, ConcernedRepositoriesReader } from './affected-repositories.queries.js';
import type { WebhookHints } from './payload-changes.js';

const POLICY: FactHint = { kind: 'policy', key: '' };

/** Whom a delivery concerns, by the host's numbers. */
export interface Concern {
  readonly event: string;
  readonly installationId: number | null;
  readonly repositoryId: number | null;
}

/** Facts of repositories that may have changed before the number was taken. */
interface Noted {
  readonly repositories: readonly GovernedRepository[];
  readonly noted: readonly FactHint[];
  readonly before: FactNumber;
}

/** Asks the host again about whatever deliveries hint at. */
@Injectable()
export class WebhookFollowUp {
  constructor(
    private readonly concerned: ConcernedRepositoriesReader,
    private readonly releases: ReleasesReader,
    private readonly discovery: ReleaseDiscovery,
    private readonly refresh: ReleaseRefresh,
    private readonly facts: FactsRecorder,
    private readonly hints: FactHints,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly setup: SetupFollowUp,
  ) {}

  async follow(hints: WebhookHints, { event, installationId, repositoryId }: Concern): Promise<'done' | 'ignored'> {
    if (installationId === null) return 'ignored';
    const { wholeOrganization, installationChanged, repositoriesChanged, reached } = hints;
    const concerned = await this.concerned.find({ installationId, repositoryId, wholeOrganization, reached });
    if (installationChanged) await this.jobs.enqueueGlobal('sync-installation', { installationId });
    // What tells of an installation or a repository that is not known was faster than what told of that one, or the only
    // one to arrive: whatever is not known yet is read whole.
    else if (repositoriesChanged || concerned === null)
      await this.jobs.enqueueGlobal('sync-installation', { installationId, changesOnly: true });
    if (concerned === null) return 'done';
    const { orgId } = concerned;
    for (const { repositories, noted, before } of await this.note(concerned, hints)) {
      const cause = `webhook ${event}`;
      if (repositories.some((repository) => changesDefault(repository, noted))) {
        await this.refresh.doubt(orgId, null, [POLICY], cause);
      }
      try {
        for (const repository of repositories) await this.followIn(orgId, repository, hints, { cause, before });
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
  private async note({ orgId, repositories }: ConcernedRepositories, hints: WebhookHints): Promise<readonly Noted[]> {
    const noteAbout = (repositoryId: string | null, noted: readonly FactHint[]): Promise<FactNumber> =>
      this.database.inTenant(orgId, (tx) => this.hints.note(tx, repositoryId, noted));
    if (hints.wholeOrganization) {
      return [{ repositories, noted: hints.facts, before: await noteAbout(null, hints.facts) }];
    }
    const each: Noted[] = [];
    for (const repository of repositories) {
      const milestones = hints.milestones.map((number): FactHint => ({ kind: 'milestone', key: String(number) }));
      const noted = [...factsOf(repository, hints), ...milestones];
      each.push({ repositories: [repository], noted, before: await noteAbout(repository.id, noted) });
    }
    return each;
  }

  private async followIn(
    orgId: OrgId,
    repository: GovernedRepository,
    hints: WebhookHints,
    { cause, before }: { readonly cause: string; readonly before: FactNumber },
  ): Promise<void> {
    for (const number of hints.milestones) await this.discovery.discoverOne(orgId, repository, number);
    const facts = factsOf(repository, hints);
    const changed = await this.database.inTenant(orgId, async (tx) => {
      // Of all facts of a kind those alone are read that a release asks for.
      const doubted = facts.filter(({ key }) => key === null);
      if (doubted.length > 0) await this.facts.expire(tx, repository.id, doubted, { cause, before });
      const named = facts.filter(({ key }) => key !== null);
      return this.releases.listRestedOn(tx, repository.id, named);
    });
    for (const deploymentId of hints.deployments) {
      await this.database.inTenant(orgId, (tx) =>
        this.jobs.enqueue(tx, 'record-deployment', { orgId, repositoryId: repository.id, deploymentId }),
      );
    }
    if (hints.installationBranch !== null) await this.setup.afterPull(orgId, repository.id, hints.installationBranch);
    for (const head of repository.managed ? hints.heads : []) {
      const { sha: headSha, mergeGroup } = head;
      const payload = { orgId, repositoryId: repository.id, headSha, mergeGroup };
      await this.database.inTenant(orgId, (tx) => this.jobs.enqueue(tx, 'check-head', payload));
    }
    // Before it is known that the branch moved: until it is looked at no gate opens that rests on it.
    if (hints.branch !== null) await this.setup.afterPush(orgId, repository.id);
    await this.refresh.readChanged(orgId, repository, changed, cause);
    // After the policy was read: what it says now is what the rules are held against.
    if (hints.branchRules || hints.branch === repository.defaultBranch) {
      await this.setup.afterRulesChanged(orgId, repository.id);
    }
  }
}

/** The facts that may have changed: a branch is part of those of each prefix of its name, and the default one has the policy. */
const factsOf = ({ defaultBranch }: GovernedRepository, { facts, branch }: WebhookHints): readonly FactHint[] => [
  ...facts,
  ...(branch === null ? [] : [{ kind: 'refs', key: branch } as const]),
  ...(branch === defaultBranch ? [POLICY] : []),
];

/** Whether the default policy of all repositories may be another one, because that of this repository may be. */
const changesDefault = ({ name }: GovernedRepository, noted: readonly FactHint[]): boolean =>
  name.toLowerCase() === '.github' && noted.some(({ kind }) => kind === null || kind === 'policy');
