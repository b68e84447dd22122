import { Injectable } from '@nestjs/common';
import { TokenBucket } from '../../auth/oidc/jwks.service.js';
import { Clock } from '../../config/clock.js';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import { factId, type FactKey } from '../../domain/facts/facts.js';
import type { Policy, PolicyState } from '../../domain/policy/policy.js';
import { listReviewFacts, type Reviewer } from '../../domain/review/eligibility.js';
import { CallQueue } from '../../github/transport/call-queue.js';
import { GitHubError } from '../../github/transport/github-error.js';
import { RepositoriesRepository } from '../../workspaces/repositories.repository.js';
import { ReleaseRefreshService } from '../releases/evaluation/release-refresh.service.js';
import { FactReaderService, type ObservableRepository } from '../releases/facts/fact-reader.service.js';
import { FactsRepository } from '../releases/facts/facts.repository.js';
import { ObservationsRepository, type NumberedObservation } from '../releases/facts/observations.repository.js';
import { type ReviewedRelease, ReviewedReleases } from './reviews.queries.js';

/** How long a person waits for the code host, in milliseconds; it is as patient with CI at the gate. */
const DEADLINE_MS = 3_000;
/** How many repositories are asked about at once: each takes a connection to the database now and then. */
const ABREAST = 4;
/** How many facts of a workspace are asked for at once: half of what its calls to the host have room for, so that a gate finds some. */
const LANES = 8;
/**
 * How many facts of a workspace are asked for by lists at once, and then each second; and as many by those who look at one
 * release. GitHub takes a bounded number of calls of an installation an hour ("Rate limits for the REST API"), which gates need.
 */
const FACTS_AT_ONCE = 300;
const FACTS_A_SECOND = 2;

/** Who looks at one release does not wait for those who list all. */
export type LiveView = 'list' | 'release';

/** What is asked of the host in one go for one person. */
interface Question {
  readonly orgId: OrgId;
  readonly reviewer: Reviewer;
  readonly budget: TokenBucket;
  readonly signal: AbortSignal;
}

/** Asks the host about reviews while somebody waits. What it says is kept like any other observation. */
@Injectable()
export class LiveReviewsService {
  private readonly underWay = new Map<string, Promise<Date>>();
  private readonly lanes = new CallQueue(LANES);
  private readonly budgets = new Map<string, TokenBucket>();

  constructor(
    private readonly database: Database,
    private readonly releases: ReviewedReleases,
    private readonly policies: ObservationsRepository,
    private readonly repos: RepositoriesRepository,
    private readonly observer: FactReaderService,
    private readonly facts: FactsRepository,
    private readonly releaseRefresh: ReleaseRefreshService,
    private readonly clock: Clock,
  ) {}

  /**
   * Asks again whatever tells whether the person may review these releases, however fresh it is, for 3 seconds at most.
   * Answers the moment since which an observation was made for it. Shared by the same person's requests at the same time;
   * what a workspace asks beyond its budget is not asked.
   */
  async refresh(orgId: OrgId, reviewer: Reviewer, releaseIds: readonly string[], view: LiveView): Promise<Date> {
    const key = [orgId, reviewer.userId, view, ...releaseIds].join('/');
    const running = this.underWay.get(key);
    if (running) return running;
    const started = this.askAnew(orgId, reviewer, releaseIds, this.budgetOf(orgId, view)).finally(() =>
      this.underWay.delete(key),
    );
    this.underWay.set(key, started);
    return started;
  }

  private async askAnew(
    orgId: OrgId,
    reviewer: Reviewer,
    releaseIds: readonly string[],
    budget: TokenBucket,
  ): Promise<Date> {
    const askedAt = this.clock.now();
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const releases = await this.database.inTenant(orgId, (tx) => this.releases.listWithBranches(tx, releaseIds));
    const repositories = byRepository(releases);
    const question = { orgId, reviewer, budget, signal };
    const askInTurn = async (): Promise<void> => {
      for (let next = repositories.shift(); next && !signal.aborted; next = repositories.shift()) {
        await this.askAbout(question, ...next);
      }
    };
    await Promise.all(Array.from({ length: ABREAST }, askInTurn));
    return askedAt;
  }

  private async askAbout(
    question: Question,
    repositoryId: string,
    releases: readonly ReviewedRelease[],
  ): Promise<void> {
    const { orgId, reviewer, signal } = question;
    const { repository, known } = await this.database.inTenant(orgId, async (tx) => ({
      repository: await this.repos.find(tx, repositoryId),
      known: await this.policies.find(tx, repositoryId),
    }));
    if (!repository?.ref) return;
    const host = { ...repository, ref: repository.ref };
    const asked = wantedOf(reviewer, releases, known);
    const policy = await this.look(question, host, repositoryId, asked);
    // The rules may be others by now, and name other teams.
    const told = new Set(asked.map(factId));
    const further = wantedOf(reviewer, releases, policy).filter((fact) => !told.has(factId(fact)));
    if (further.length > 0 && !signal.aborted) await this.look(question, host, repositoryId, further);
    if (policy?.evidencing.requiredReviewers.excludeReleaseAuthors === true) await this.findAuthors(question, releases);
  }

  /** Answers the policy, if that was asked for and told. */
  private async look(
    question: Question,
    repository: ObservableRepository,
    repositoryId: string,
    wanted: readonly FactKey[],
  ): Promise<Policy | null> {
    const { orgId } = question;
    const looks = wanted.map((fact) => this.lookInTurn(question, repository, fact));
    const observations = (await Promise.all(looks)).flat();
    await this.database.inTenant(orgId, (tx) =>
      this.facts.saveAndInvalidate(tx, repositoryId, observations, { cause: 'review' }),
    );
    const state = observations.find(({ kind }) => kind === 'policy')?.value as PolicyState | undefined;
    return state?.status === 'valid' ? state.policy : null;
  }

  /** Nothing where the host did not tell, or the turn did not come, in time, or where too much was asked already. */
  private async lookInTurn(
    { orgId, budget, signal }: Question,
    repository: ObservableRepository,
    fact: FactKey,
  ): Promise<readonly NumberedObservation[]> {
    const look = async (): Promise<readonly NumberedObservation[]> =>
      budget.take() ? (await this.observer.read(repository, [fact], { signal })).observations : [];
    try {
      return await this.lanes.run(orgId, look, signal);
    } catch (error) {
      if (GitHubError.is(error, 'timeout')) return [];
      throw error;
    }
  }

  /** Has those releases thought over whose verdict tells no more who wrote them. */
  private async findAuthors({ orgId, budget, signal }: Question, asked: readonly ReviewedRelease[]): Promise<void> {
    const ids = asked.map(({ id }) => id);
    const releases = await this.database.inTenant(orgId, (tx) => this.releases.list(tx, ids));
    const now = this.clock.now().getTime();
    for (const { id, validUntil, authorIds } of releases) {
      if (signal.aborted) return;
      if (authorIds !== null && Number(validUntil) > now) continue;
      if (!budget.take()) return;
      await untilAborted(this.releaseRefresh.refreshShared(orgId, id, { cause: 'review', actor: 'service' }), signal);
    }
  }

  private budgetOf(orgId: OrgId, view: LiveView): TokenBucket {
    const key = `${orgId}/${view}`;
    const budget = this.budgets.get(key) ?? new TokenBucket(FACTS_AT_ONCE, FACTS_A_SECOND, this.clock);
    this.budgets.set(key, budget);
    return budget;
  }
}

/** In the order in which the repositories come first. */
function byRepository(releases: readonly ReviewedRelease[]): [string, readonly ReviewedRelease[]][] {
  const grouped = new Map<string, ReviewedRelease[]>();
  for (const release of releases) {
    const known = grouped.get(release.repositoryId);
    if (known) known.push(release);
    else grouped.set(release.repositoryId, [release]);
  }
  return [...grouped];
}

/** Each once; who wrote a release is told by where its branches are. */
function wantedOf(reviewer: Reviewer, releases: readonly ReviewedRelease[], policy: Policy | null): readonly FactKey[] {
  const excludesAuthors = policy?.evidencing.requiredReviewers.excludeReleaseAuthors === true;
  const wanted = releases.flatMap(({ pull, branches }) => [
    ...listReviewFacts(reviewer, pull?.number ?? null, policy),
    ...(excludesAuthors && branches ? branches.prefixes.map((key) => ({ kind: 'refs', key }) as const) : []),
  ]);
  return [...new Map(wanted.map((fact) => [factId(fact), fact])).values()];
}

/** The work goes on for others and ends by itself; whatever came of it is in the database. */
async function untilAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
    work.then(
      () => resolve(),
      () => resolve(),
    );
  });
}
