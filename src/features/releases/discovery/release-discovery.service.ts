import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { RecentFailures } from '../../../concurrency/recent-failures.js';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTransaction } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { MilestoneFact, Observation } from '../../../domain/facts/facts.js';
import { DEFAULT_POLICY, type ReleaseNamingFormat } from '../../../domain/policy/policy.js';
import { isReleaseVersion } from '../../../domain/policy/release-version.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import type { Observed } from '../../../github/transport/github-clock.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { type Repository, RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { RefreshRequests } from '../evaluation/refresh-requests.repository.js';
import { FactHints, type FactNumber } from '../facts/fact-hints.repository.js';
import { FactsRepository } from '../facts/facts.repository.js';
import { ObservationsRepository, type NumberedObservation } from '../facts/observations.repository.js';
import { type Asker, LookUpBudget } from './look-up-budget.service.js';
import { MilestonesRepository } from './milestones.repository.js';

const RETRY_SECONDS = 10;
/** By when there is another one. */
const LOOK_UP_RETRY_SECONDS = 5;
/** How long somebody who asks for a version waits for the code host, in milliseconds. */
const ANSWER_MS = 3_000;

/** How long a version that GitHub does not know is not asked for again, in milliseconds. */
const MISS_MS = 60_000;

/** When an observation was made that counts as too old. */
const EXPIRED = new Date(0);

/** Milestones as one read told of them. */
interface ReadMilestones {
  readonly milestones: readonly MilestoneFact[];
  readonly observedAt: Date;
  readonly readNumber: FactNumber;
}

/** Makes releases of milestones: a release is never made by anything else. */
@Injectable()
export class ReleaseDiscoveryService {
  private readonly misses: RecentFailures;

  constructor(
    private readonly database: Database,
    private readonly milestones: MilestonesRepository,
    private readonly policies: ObservationsRepository,
    private readonly facts: FactsRepository,
    private readonly hints: FactHints,
    private readonly refreshes: RefreshRequests,
    private readonly repos: RepositoriesRepository,
    private readonly github: GitHubGateway,
    private readonly budget: LookUpBudget,
    private readonly clock: Clock,
  ) {
    this.misses = new RecentFailures(clock, MISS_MS);
  }

  /**
   * Looks once at the host for a version that is not known here; true where there is a release of it now. A version
   * that the host does not know either is not looked up again for a minute. Refuses with `rate_limited` whoever has had too
   * many others looked up.
   */
  async findOrDiscover(orgId: OrgId, repositoryId: string, version: string, asker: Asker): Promise<boolean> {
    const question = `${orgId}/${repositoryId}/${version}`;
    if (this.misses.has(question)) return false;
    const repository = await this.database.inTenant(orgId, (tx) => this.repos.find(tx, repositoryId));
    if (!repository?.ref) return false;
    if (!this.budget.take(asker)) throw tooManyLookUps();
    await this.discoverNow(orgId, repository);
    const found = await this.database.inTenant(orgId, (tx) => this.milestones.knows(tx, repositoryId, version));
    if (!found) this.misses.add(question);
    return found;
  }

  /** The same for somebody who waits for the answer: where the host has none now, they are told to come back. */
  private async discoverNow(orgId: OrgId, repository: Repository): Promise<void> {
    const late = new Promise<never>((_, reject) => {
      AbortSignal.timeout(ANSWER_MS).addEventListener('abort', () => reject(tooLate()), { once: true });
    });
    try {
      // What is late is taken all the same when it comes.
      await Promise.race([this.discover(orgId, repository), late]);
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      // What the host will not tell later either leaves the version unknown.
      if (!error.isTransient) return;
      throw new DomainError('unavailable', 'The code host cannot be asked for this version now; try again soon.', {
        retryAfterSeconds: RETRY_SECONDS,
        cause: error,
      });
    }
  }

  /** Brings the releases of a repository in line with all of its milestones. */
  async discover(orgId: OrgId, repository: Repository): Promise<void> {
    if (!repository.ref) return;
    const readNumber = await this.hints.next();
    const { value: milestones, observedAt } = await this.github.milestones.list(repository.ref);
    const missing = await this.database.inTenant(orgId, async (tx) => {
      await this.take(tx, repository.id, { milestones, observedAt, readNumber });
      const listed = milestones.map(({ githubId }) => githubId);
      return this.milestones.listMissing(tx, repository.id, listed, observedAt);
    });
    // A list may lack what is there, and a release is not given up for that: each that is missing is asked for by itself.
    for (const number of missing) await this.discoverOne(orgId, repository, number);
  }

  /** The same for one milestone. */
  async discoverOne(orgId: OrgId, repository: Repository, number: number): Promise<void> {
    if (!repository.ref) return;
    const readNumber = await this.hints.next();
    const { value: milestone, observedAt } = await this.github.milestones.find(repository.ref, number);
    await this.database.inTenant(orgId, async (tx) => {
      if (milestone) return this.take(tx, repository.id, { milestones: [milestone], observedAt, readNumber });
      // The release is cancelled when it is thought over.
      const gone = { kind: 'milestone', key: String(number), value: null, observedAt, readNumber } as const;
      await this.facts.saveAndInvalidate(tx, repository.id, [gone], { cause: 'milestone deleted' });
    });
  }

  /**
   * The same for one that GitHub has told of already, in the transaction of whoever asked for it: with the number that they
   * took before they asked.
   */
  async upsertFromGitHub(
    tx: TenantTransaction,
    repositoryId: string,
    { value, observedAt }: Observed<MilestoneFact>,
    readNumber: FactNumber,
  ): Promise<void> {
    await this.take(tx, repositoryId, { milestones: [value], observedAt, readNumber });
  }

  /** Brings the releases of milestones in line with them, or makes them, or notes why there are none. */
  private async take(
    tx: TenantTransaction,
    repositoryId: string,
    { milestones, ...read }: ReadMilestones,
  ): Promise<void> {
    const observations = milestones.map((value): NumberedObservation => ({
      kind: 'milestone',
      key: String(value.number),
      value,
      ...read,
    }));
    await this.facts.saveAndInvalidate(tx, repositoryId, observations, { cause: 'milestone' });
    // A later read may have told of them meanwhile, for somebody who makes or renames no release.
    const stored = (await this.policies.list(tx, repositoryId, observations)) as Observation<'milestone'>[];
    const known = new Map(stored.map((observation) => [observation.key, observation]));
    for (const { key } of observations) {
      const latest = known.get(key);
      if (latest?.value) await this.takeOne(tx, repositoryId, latest.value, { isCurrent: latest.observedAt > EXPIRED });
    }
  }

  private async takeOne(
    tx: TenantTransaction,
    repositoryId: string,
    milestone: MilestoneFact,
    { isCurrent }: { readonly isCurrent: boolean },
  ): Promise<void> {
    const now = this.clock.now();
    const known = await this.milestones.find(tx, repositoryId, milestone.githubId);
    // It may have changed while it was read. Another read follows, and this one turns nothing back.
    if (known && !isCurrent) return;
    if (known && !known.deleted) {
      // A release that has a candidate keeps its version: its evidence speaks of that one.
      const rename = known.candidateSha === null && (await this.isVersion(tx, repositoryId, milestone.title));
      await this.milestones.update(tx, known.id, milestone, rename ? milestone.title : known.version, now);
      return;
    }
    const reason = await this.whyIgnored(tx, repositoryId, known ? { ...milestone, title: known.version } : milestone);
    if (reason !== null) {
      await this.milestones.ignore(tx, repositoryId, milestone, reason, now);
      return;
    }
    const releaseId = known?.id ?? randomUUID();
    const taken = known
      ? await this.milestones.restore(tx, known.id, repositoryId, milestone, now)
      : await this.milestones.create(tx, releaseId, repositoryId, milestone, now);
    if (taken) await this.refreshes.askFor(tx, [releaseId], 'milestone created');
  }

  private async whyIgnored(
    tx: TenantTransaction,
    repositoryId: string,
    { title, state }: MilestoneFact,
  ): Promise<string | null> {
    const format = await this.namingOf(tx, repositoryId);
    if (!isReleaseVersion(title, format)) return `"${title}" is not a version under the release naming "${format}".`;
    if (state === 'closed') return 'It was closed already when it was first seen.';
    if (await this.milestones.knows(tx, repositoryId, title))
      return `Another milestone is the release ${title} already.`;
    return null;
  }

  private async isVersion(tx: TenantTransaction, repositoryId: string, title: string): Promise<boolean> {
    if (!isReleaseVersion(title, await this.namingOf(tx, repositoryId))) return false;
    return !(await this.milestones.knows(tx, repositoryId, title));
  }

  private async namingOf(tx: TenantTransaction, repositoryId: string): Promise<ReleaseNamingFormat> {
    return (await this.policies.find(tx, repositoryId))?.releaseNaming ?? DEFAULT_POLICY.releaseNaming;
  }
}

const tooLate = (): GitHubError => new GitHubError('timeout', `no milestones within ${ANSWER_MS} ms`);

const tooManyLookUps = (): DomainError =>
  new DomainError('rate_limited', 'Too many versions were asked for that are not known here; try again soon.', {
    retryAfterSeconds: LOOK_UP_RETRY_SECONDS,
  });
