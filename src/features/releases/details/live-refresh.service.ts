import { Injectable } from '@nestjs/common';
import { SingleFlight } from '../../../concurrency/single-flight.js';
import { TokenBuckets } from '../../../concurrency/token-bucket.js';
import { Clock } from '../../../config/clock.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { factId, type FactKey } from '../../../domain/facts/facts.js';
import { GitHubError, stoppedWaiting } from '../../../github/transport/github-error.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { JobHandler } from '../../../jobs/job-handlers.js';
import type { JobPayload } from '../../../jobs/job.js';
import { RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { ReleaseRefreshService } from '../evaluation/release-refresh.service.js';
import type { RefreshStatusDto } from './release-details.dto.js';
import { LiveFactsQueries } from './live-facts.queries.js';

/** How long a user waits for GitHub, in milliseconds. The deploy gate waits as long. */
const DEADLINE_MS = 3_000;
/** Facts that were observed this recently are not read again, in milliseconds: ten users on one page cause one read. */
const RECENT_MS = 5_000;
/**
 * How many releases of a workspace may be refreshed at once, and then per second. One refresh takes about 20 calls. GitHub allows
 * an installation 900 per minute ("Rate limits for the REST API", secondary limits), and the gates need some of them.
 */
const REFRESHES_AT_ONCE = 20;
const REFRESHES_PER_SECOND = 0.4;

const TOO_MANY_REFRESHES = 'Too many releases are being refreshed. The facts of the last minutes were not read again.';

/** Whether all facts of a release were just read, and if not, why. */
export interface RefreshStatus extends RefreshStatusDto {
  /** False while no installation of the app reaches the repository. Then nothing was read. */
  readonly isReached: boolean;
}

/** The result of a refresh: the failed reads, and whether the fresh facts were read again too. */
interface RefreshResult {
  readonly failures: readonly GitHubError[];
  readonly isWhole: boolean;
}

/** Refreshes a release from GitHub while a user waits. */
@Injectable()
export class LiveRefreshService {
  readonly #refreshes = new SingleFlight<RefreshResult>(stoppedWaiting);
  readonly #budgets: TokenBuckets;

  constructor(
    private readonly database: Database,
    private readonly facts: LiveFactsQueries,
    private readonly releaseRefresh: ReleaseRefreshService,
    private readonly repos: RepositoriesRepository,
    private readonly clock: Clock,
  ) {
    this.#budgets = new TokenBuckets(REFRESHES_AT_ONCE, REFRESHES_PER_SECOND, clock);
  }

  /** Concurrent calls for the same release share one refresh. It continues after the deadline, and its results are stored. */
  async refresh(orgId: OrgId, releaseId: string): Promise<RefreshStatus> {
    const isReached = await this.database.inTenant(
      orgId,
      async (tx) => ((await this.repos.findByRelease(tx, releaseId))?.ref ?? null) !== null,
    );
    if (!isReached) return { ...unknown('The app is not installed for the organization, or suspended.'), isReached };
    try {
      const refresh = this.#refreshes.run(
        `${orgId}/${releaseId}`,
        () => this.read(orgId, releaseId, 'live look'),
        AbortSignal.timeout(DEADLINE_MS),
      );
      return toStatus(await refresh);
    } catch (error) {
      if (!GitHubError.is(error, 'timeout')) throw error;
      return unknown(`GitHub did not return all facts within ${DEADLINE_MS / 1000} seconds.`);
    }
  }

  /** Does the same for a job. Throws if GitHub did not answer or the budget is used up, so that the job is retried. */
  @JobHandler('force-refresh-release')
  async refreshOrThrow({ orgId, releaseId }: JobPayload<'force-refresh-release'>): Promise<void> {
    const { failures, isWhole } = await this.read(orgId, releaseId, 'refresh');
    const transient = failures.find(({ isTransient }) => isTransient);
    if (transient) throw transient;
    if (!isWhole) throw new DomainError('unavailable', TOO_MANY_REFRESHES);
  }

  /** Always reads stale facts. Reads the others only within the workspace's budget. */
  private async read(orgId: OrgId, releaseId: string, cause: string): Promise<RefreshResult> {
    const before = new Date(this.clock.now().getTime() - RECENT_MS);
    const tried = new Set<string>();
    const listUnread = async (): Promise<readonly FactKey[]> =>
      (await this.database.inTenant(orgId, (tx) => this.facts.listSeenBefore(tx, releaseId, before))).filter(
        (key) => !tried.has(factId(key)),
      );
    const failures: GitHubError[] = [];
    let hints = await listUnread();
    const isWhole = hints.length === 0 || this.#budgets.get(orgId).consume();
    if (!isWhole) hints = [];
    do {
      for (const key of hints) tried.add(factId(key));
      const result = await this.releaseRefresh.refresh(orgId, releaseId, { cause, actor: 'service' }, { hints });
      failures.push(...result.failures);
      // The new facts may have led the verdict to other stored facts, such as the checks of another candidate.
      hints = isWhole ? await listUnread() : [];
    } while (hints.length > 0);
    return { failures, isWhole };
  }
}

function toStatus({ failures, isWhole }: RefreshResult): RefreshStatus {
  if (failures.some(({ isTransient }) => isTransient)) {
    return unknown('GitHub does not answer now, so the stored facts may be out of date.');
  }
  if (failures.length > 0) return unknown('GitHub does not let the app read all facts of the release.');
  return isWhole ? { status: 'verified', reason: null, isReached: true } : unknown(TOO_MANY_REFRESHES);
}

const unknown = (reason: string): RefreshStatus => ({ status: 'unknown', reason, isReached: true });
