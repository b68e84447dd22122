import { Injectable } from '@nestjs/common';
import pTimeout from 'p-timeout';
import { KeyedQueue } from '../../concurrency/keyed-queue.js';
import { SingleFlight } from '../../concurrency/single-flight.js';
import { type TokenBucket, TokenBuckets } from '../../concurrency/token-bucket.js';
import { Clock } from '../../config/clock.js';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import { factId, type FactKey } from '../../domain/facts/facts.js';
import type { Policy, PolicyState } from '../../domain/policy/policy.js';
import { listReviewFacts, type Reviewer } from '../../domain/review/eligibility.js';
import { GitHubError, stoppedWaiting } from '../../github/transport/github-error.js';
import { RepositoriesRepository } from '../../workspaces/repositories.repository.js';
import { ReleaseRefreshService } from '../releases/evaluation/release-refresh.service.js';
import { FactReaderService, type ObservableRepository } from '../releases/facts/fact-reader.service.js';
import { FactsService } from '../releases/facts/facts.service.js';
import { ObservationsRepository, type NumberedObservation } from '../releases/facts/observations.repository.js';
import { type ReviewedRelease, ReviewsQueries } from './reviews.queries.js';

/** How long a user waits for GitHub, in milliseconds. The deploy gate waits as long for CI. */
const DEADLINE_MS = 3_000;
/** How many repositories are read at once. Each read uses a database connection at times. */
const REPOSITORIES_AT_ONCE = 4;
/** How many facts of a workspace are read at once: half of its concurrent GitHub calls, so that the gate gets the other half. */
const CONCURRENT_FACTS = 8;
/**
 * How many facts of a workspace lists may read at once, and then per second. Reads of single releases have a second budget of the
 * same size. GitHub limits the calls of an installation per hour ("Rate limits for the REST API"), and the gates need some of
 * them.
 */
const FACTS_AT_ONCE = 300;
const FACTS_PER_SECOND = 2;

/** The two views have separate budgets, so that reads of one release do not wait for lists. */
export type LiveView = 'list' | 'release';

/** The common inputs of the reads for one user. */
interface ReadInput {
  readonly orgId: OrgId;
  readonly reviewer: Reviewer;
  readonly budget: TokenBucket;
  readonly signal: AbortSignal;
}

/** Reads the facts of reviews from GitHub while a user waits, and saves them as observations. */
@Injectable()
export class LiveReviewsService {
  private readonly reads = new SingleFlight<Date>();
  private readonly queue = new KeyedQueue(CONCURRENT_FACTS, stoppedWaiting);
  private readonly budgets: TokenBuckets;

  constructor(
    private readonly database: Database,
    private readonly reviews: ReviewsQueries,
    private readonly observations: ObservationsRepository,
    private readonly repos: RepositoriesRepository,
    private readonly factReader: FactReaderService,
    private readonly facts: FactsService,
    private readonly releaseRefresh: ReleaseRefreshService,
    private readonly clock: Clock,
  ) {
    this.budgets = new TokenBuckets(FACTS_AT_ONCE, FACTS_PER_SECOND, clock);
  }

  /**
   * Reads all facts that decide whether the user may review these releases, however fresh they are, for at most 3 seconds.
   * Returns the time since which observations count as read for this call. Concurrent calls of the same user share one read.
   * Reads above the workspace's budget are skipped.
   */
  async refresh(orgId: OrgId, reviewer: Reviewer, releaseIds: readonly string[], view: LiveView): Promise<Date> {
    const key = [orgId, reviewer.userId, view, ...releaseIds].join('/');
    const budget = this.budgets.get(`${orgId}/${view}`);
    return this.reads.run(key, () => this.readAll(orgId, reviewer, releaseIds, budget));
  }

  private async readAll(
    orgId: OrgId,
    reviewer: Reviewer,
    releaseIds: readonly string[],
    budget: TokenBucket,
  ): Promise<Date> {
    const requestedAt = this.clock.now();
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const releases = await this.database.inTenant(orgId, (tx) => this.reviews.listReleasesWithBranches(tx, releaseIds));
    const repositories = groupByRepository(releases);
    const input = { orgId, reviewer, budget, signal };
    const readNext = async (): Promise<void> => {
      for (let next = repositories.shift(); next && !signal.aborted; next = repositories.shift()) {
        await this.readRepository(input, ...next);
      }
    };
    await Promise.all(Array.from({ length: REPOSITORIES_AT_ONCE }, readNext));
    return requestedAt;
  }

  private async readRepository(
    input: ReadInput,
    repositoryId: string,
    releases: readonly ReviewedRelease[],
  ): Promise<void> {
    const { orgId, reviewer, signal } = input;
    const { repository, known } = await this.database.inTenant(orgId, async (tx) => ({
      repository: await this.repos.find(tx, repositoryId),
      known: await this.observations.find(tx, repositoryId),
    }));
    if (!repository?.ref) return;
    const observable = { ...repository, orgId, ref: repository.ref };
    const requested = listNeededFacts(reviewer, releases, known);
    const policy = await this.readFacts(input, observable, repositoryId, requested);
    // The new rules may name other teams.
    const alreadyRead = new Set(requested.map(factId));
    const further = listNeededFacts(reviewer, releases, policy).filter((fact) => !alreadyRead.has(factId(fact)));
    if (further.length > 0 && !signal.aborted) await this.readFacts(input, observable, repositoryId, further);
    if (excludesAuthors(policy)) await this.findAuthors(input, releases);
  }

  /** Returns the policy if it was requested and read. */
  private async readFacts(
    input: ReadInput,
    repository: ObservableRepository,
    repositoryId: string,
    facts: readonly FactKey[],
  ): Promise<Policy | null> {
    const { orgId } = input;
    const reads = facts.map((fact) => this.readQueued(input, repository, fact));
    const observations = (await Promise.all(reads)).flat();
    await this.database.inTenant(orgId, (tx) =>
      this.facts.saveAndInvalidate(tx, repositoryId, observations, { cause: 'review' }),
    );
    const state = observations.find(({ kind }) => kind === 'policy')?.value as PolicyState | undefined;
    return state?.status === 'valid' ? state.policy : null;
  }

  /** Returns an empty array if GitHub did not answer in time, the queue was too long, or the budget is used up. */
  private async readQueued(
    { orgId, budget, signal }: ReadInput,
    repository: ObservableRepository,
    fact: FactKey,
  ): Promise<readonly NumberedObservation[]> {
    const readFacts = async (): Promise<readonly NumberedObservation[]> =>
      budget.consume() ? (await this.factReader.read(repository, [fact], { signal })).observations : [];
    try {
      return await this.queue.run(orgId, readFacts, signal);
    } catch (error) {
      if (GitHubError.is(error, 'timeout')) return [];
      throw error;
    }
  }

  /** Refreshes the releases whose authors the stored verdict does not know any more. */
  private async findAuthors(
    { orgId, budget, signal }: ReadInput,
    requested: readonly ReviewedRelease[],
  ): Promise<void> {
    const ids = requested.map(({ id }) => id);
    const releases = await this.database.inTenant(orgId, (tx) => this.reviews.listReleases(tx, ids));
    const now = this.clock.now().getTime();
    for (const { id, validUntil, authorIds } of releases) {
      if (signal.aborted) return;
      if (authorIds !== null && Number(validUntil) > now) continue;
      if (!budget.consume()) return;
      const refresh = this.releaseRefresh.refreshShared(orgId, id, { cause: 'review', actor: 'service' });
      // The refresh continues after the deadline and saves its results.
      await pTimeout(refresh, { milliseconds: Number.POSITIVE_INFINITY, signal }).catch(() => undefined);
    }
  }
}

/** Groups the releases by repository, in the order of the first release of each. */
function groupByRepository(releases: readonly ReviewedRelease[]): [string, readonly ReviewedRelease[]][] {
  const grouped = new Map<string, ReviewedRelease[]>();
  for (const release of releases) {
    const known = grouped.get(release.repositoryId);
    if (known) known.push(release);
    else grouped.set(release.repositoryId, [release]);
  }
  return [...grouped];
}

/** Lists each needed fact once. The authors of a release depend on the heads of its branches. */
function listNeededFacts(
  reviewer: Reviewer,
  releases: readonly ReviewedRelease[],
  policy: Policy | null,
): readonly FactKey[] {
  const needsBranches = excludesAuthors(policy);
  const facts = releases.flatMap(({ pull, branches }) => [
    ...listReviewFacts(reviewer, pull?.number ?? null, policy),
    ...(needsBranches && branches ? branches.prefixes.map((key) => ({ kind: 'refs', key }) as const) : []),
  ]);
  return [...new Map(facts.map((fact) => [factId(fact), fact])).values()];
}

const excludesAuthors = (policy: Policy | null): boolean =>
  policy?.evidencing.requiredReviewers.some(({ excludeReleaseAuthors }) => excludeReleaseAuthors) === true;
