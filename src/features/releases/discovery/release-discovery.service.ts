import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import pTimeout from 'p-timeout';
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
import { githubUnavailable } from '../../../http/errors/github-unavailable.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import { type Repository, RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { FactHintsRepository, type FactNumber } from '../facts/fact-hints.repository.js';
import { FactsService } from '../facts/facts.service.js';
import { ObservationsRepository, type NumberedObservation } from '../facts/observations.repository.js';
import { type LookupCaller, LookupBudgetService } from './lookup-budget.service.js';
import { MilestonesRepository } from './milestones.repository.js';

/** When the next look-up is possible, in seconds. */
const LOOKUP_RETRY_SECONDS = 5;
/** How long a caller waits for GitHub to find a version, in milliseconds. */
const ANSWER_MS = 3_000;

/** How long a version that GitHub does not know is not looked up again, in milliseconds. */
const MISS_MS = 60_000;

/** The observation time that marks a fact as stale. */
const EXPIRED = new Date(0);

/** The milestones of one read. */
interface ReadMilestones {
  readonly milestones: readonly MilestoneFact[];
  readonly observedAt: Date;
  readonly readNumber: FactNumber;
}

/** Creates one release for each GitHub milestone whose title is a version. No other code creates releases. */
@Injectable()
export class ReleaseDiscoveryService {
  private readonly failures: RecentFailures;

  constructor(
    private readonly database: Database,
    private readonly milestones: MilestonesRepository,
    private readonly observations: ObservationsRepository,
    private readonly facts: FactsService,
    private readonly hints: FactHintsRepository,
    private readonly jobs: JobsService,
    private readonly repos: RepositoriesRepository,
    private readonly github: GitHubGateway,
    private readonly budget: LookupBudgetService,
    private readonly clock: Clock,
  ) {
    this.failures = new RecentFailures(clock, MISS_MS);
  }

  /**
   * Looks up an unknown version at GitHub once. Returns true if there is a release of it now. A version that GitHub does not know
   * is not looked up again for a minute. Throws `rate_limited` if the caller has used up its budget.
   */
  async findOrDiscover(orgId: OrgId, repositoryId: string, version: string, caller: LookupCaller): Promise<boolean> {
    const key = `${orgId}/${repositoryId}/${version}`;
    if (this.failures.has(key)) return false;
    const repository = await this.database.inTenant(orgId, (tx) => this.repos.find(tx, repositoryId));
    if (!repository?.ref) return false;
    if (!this.budget.consume(caller)) throw tooManyLookups();
    await this.discoverNow(orgId, repository);
    const found = await this.database.inTenant(orgId, (tx) => this.milestones.knows(tx, repositoryId, version));
    if (!found) this.failures.add(key);
    return found;
  }

  /** Does the same with a deadline, for a caller that waits. Throws `unavailable` if GitHub does not answer in time. */
  private async discoverNow(orgId: OrgId, repository: Repository): Promise<void> {
    try {
      // The discovery continues after the deadline and saves its results.
      await pTimeout(this.discover(orgId, repository), { milliseconds: ANSWER_MS, message: tooLate() });
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      // If GitHub will not answer a retry either, the version stays unknown.
      if (!error.isTransient) return;
      throw githubUnavailable(error);
    }
  }

  /** Reconciles the releases of a repository with all its milestones. */
  async discover(orgId: OrgId, repository: Repository): Promise<void> {
    if (!repository.ref) return;
    const readNumber = await this.hints.next();
    const { value: milestones, observedAt } = await this.github.milestones.list(repository.ref);
    const missing = await this.database.inTenant(orgId, async (tx) => {
      await this.save(tx, repository.id, { milestones, observedAt, readNumber });
      const listed = milestones.map(({ githubId }) => githubId);
      return this.milestones.listMissing(tx, repository.id, listed, observedAt);
    });
    // The list may be incomplete, so each missing milestone is read on its own before its release is given up.
    for (const number of missing) await this.discoverOne(orgId, repository, number);
  }

  /** Reconciles one milestone. */
  async discoverOne(orgId: OrgId, repository: Repository, number: number): Promise<void> {
    if (!repository.ref) return;
    const readNumber = await this.hints.next();
    const { value: milestone, observedAt } = await this.github.milestones.find(repository.ref, number);
    await this.database.inTenant(orgId, async (tx) => {
      if (milestone) return this.save(tx, repository.id, { milestones: [milestone], observedAt, readNumber });
      // The evaluation cancels the release.
      const deleted = { kind: 'milestone', key: String(number), value: null, observedAt, readNumber } as const;
      await this.facts.saveAndInvalidate(tx, repository.id, [deleted], { cause: 'milestone deleted' });
    });
  }

  /**
   * Saves a milestone that GitHub has already returned, in the caller's transaction. The read number must have been taken before
   * the request.
   */
  async upsertFromGitHub(
    tx: TenantTransaction,
    repositoryId: string,
    { value, observedAt }: Observed<MilestoneFact>,
    readNumber: FactNumber,
  ): Promise<void> {
    await this.save(tx, repositoryId, { milestones: [value], observedAt, readNumber });
  }

  /** Updates or creates the releases of the milestones, or records why a milestone is no release. */
  private async save(
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
    // A later read may have stored a newer milestone without creating or renaming a release.
    const stored = (await this.observations.list(tx, repositoryId, observations)) as Observation<'milestone'>[];
    const known = new Map(stored.map((observation) => [observation.key, observation]));
    for (const { key } of observations) {
      const latest = known.get(key);
      if (latest?.value) await this.saveOne(tx, repositoryId, latest.value, { isCurrent: latest.observedAt > EXPIRED });
    }
  }

  private async saveOne(
    tx: TenantTransaction,
    repositoryId: string,
    milestone: MilestoneFact,
    { isCurrent }: { readonly isCurrent: boolean },
  ): Promise<void> {
    const now = this.clock.now();
    const known = await this.milestones.find(tx, repositoryId, milestone.githubId);
    // The milestone may have changed while it was read. Another read follows, so this one must not overwrite newer values.
    if (known && !isCurrent) return;
    if (known && !known.deleted) {
      // A release with a candidate does not change its version, because its evidence belongs to that version.
      const rename = known.candidateSha === null && (await this.isVersion(tx, repositoryId, milestone.title));
      await this.milestones.update(tx, known.id, milestone, rename ? milestone.title : known.version, now);
      return;
    }
    const reason = await this.findReasonToIgnore(
      tx,
      repositoryId,
      known ? { ...milestone, title: known.version } : milestone,
    );
    if (reason !== null) {
      await this.milestones.ignore(tx, repositoryId, milestone, reason, now);
      return;
    }
    const releaseId = known?.id ?? randomUUID();
    const saved = known
      ? await this.milestones.restore(tx, known.id, repositoryId, milestone, now)
      : await this.milestones.create(tx, releaseId, repositoryId, milestone, now);
    if (!saved) return;
    await this.jobs.enqueue(tx, 'refresh-release', { orgId: tx.orgId, releaseId, cause: 'milestone created' });
  }

  private async findReasonToIgnore(
    tx: TenantTransaction,
    repositoryId: string,
    { title, state }: MilestoneFact,
  ): Promise<string | null> {
    const format = await this.getNaming(tx, repositoryId);
    if (!isReleaseVersion(title, format)) return `"${title}" is not a version under the release naming "${format}".`;
    if (state === 'closed') return 'It was closed already when it was first seen.';
    if (await this.milestones.knows(tx, repositoryId, title))
      return `Another milestone is the release ${title} already.`;
    return null;
  }

  private async isVersion(tx: TenantTransaction, repositoryId: string, title: string): Promise<boolean> {
    if (!isReleaseVersion(title, await this.getNaming(tx, repositoryId))) return false;
    return !(await this.milestones.knows(tx, repositoryId, title));
  }

  private async getNaming(tx: TenantTransaction, repositoryId: string): Promise<ReleaseNamingFormat> {
    return (await this.observations.find(tx, repositoryId))?.releaseNaming ?? DEFAULT_POLICY.releaseNaming;
  }
}

const tooLate = (): GitHubError => new GitHubError('timeout', `no milestones within ${ANSWER_MS} ms`);

const tooManyLookups = (): DomainError =>
  new DomainError('rate_limited', 'Too many unknown versions were requested. Try again soon.', {
    retryAfterSeconds: LOOKUP_RETRY_SECONDS,
  });
