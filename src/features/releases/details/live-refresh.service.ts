import { Injectable } from '@nestjs/common';
import { TokenBucket } from '../../../auth/oidc/jwks.service.js';
import { SingleFlight } from '../../../concurrency/single-flight.js';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTransaction } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { FACT_LIFETIME_MS, factId, type FactKey, parseFactId } from '../../../domain/facts/facts.js';
import { GitHubError, stoppedWaiting } from '../../../github/transport/github-error.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { ReleaseRefreshService } from '../evaluation/release-refresh.service.js';
import { ObservationsRepository } from '../facts/observations.repository.js';

interface FactsRow {
  readonly repository_id: string;
  readonly milestone_number: number;
  readonly candidate_sha: string | null;
  readonly consulted: readonly string[];
}

/** What of a release may be another by now than when it was observed. */
@Injectable()
export class LiveFactsQueries {
  constructor(private readonly observations: ObservationsRepository) {}

  /**
   * What its last verdict rested on and what people are shown besides, as far as it may change and was not observed since
   * the moment.
   */
  async listSeenBefore(tx: TenantTransaction, releaseId: string, moment: Date): Promise<readonly FactKey[]> {
    const [row] = await tx.query<FactsRow>(
      `select repository_id, milestone_number, candidate_sha, consulted from release where id = $1`,
      [releaseId],
    );
    if (!row) return [];
    const wanted = new Map([...row.consulted.map(parseFactId), ...shownOf(row)].map((key) => [factId(key), key]));
    const changeable = [...wanted.values()].filter(({ kind }) => Number.isFinite(FACT_LIFETIME_MS[kind]));
    const seen = new Set(
      (await this.observations.list(tx, row.repository_id, changeable))
        .filter(({ observedAt }) => observedAt >= moment)
        .map(factId),
    );
    return changeable.filter((key) => !seen.has(factId(key)));
  }
}

/** A verdict asks for the checks only where the policy does, and a shipped one for neither. */
const shownOf = ({ milestone_number: number, candidate_sha: sha }: FactsRow): readonly FactKey[] => [
  { kind: 'issues', key: String(number) },
  ...(sha === null ? [] : [{ kind: 'checks', key: sha } as const]),
];

/** How long a person waits for GitHub, in milliseconds: as long as the deploy gate does. */
const DEADLINE_MS = 3_000;
/** What was observed a moment ago is not asked for again: ten people at one screen are one question. */
const MOMENT_MS = 5_000;
/**
 * How many releases of a workspace are read anew at once, and then each second. A look is some twenty calls, and GitHub takes
 * 900 a minute of an installation ("Rate limits for the REST API", secondary limits), which gates need too.
 */
const LOOKS_AT_ONCE = 20;
const LOOKS_A_SECOND = 0.4;

const TOO_MANY =
  'So many releases are looked at now that what GitHub said in the last minutes was not asked for again.';

/** Whether all that a release rests on was read just now, and where it was not, why. */
export interface RefreshStatus {
  readonly status: 'verified' | 'unknown';
  /** A sentence; null where it was verified. */
  readonly reason: string | null;
  /** False while no installation of the app reaches the repository: then nothing was asked. */
  readonly isReached: boolean;
}

/** What came of reading a release: why facts are missing or old, and whether those that are not were asked for too. */
interface RefreshResult {
  readonly failures: readonly GitHubError[];
  readonly isWhole: boolean;
}

/** Reads a release from GitHub while somebody waits for it. */
@Injectable()
export class LiveRefreshService {
  readonly #looks = new SingleFlight<RefreshResult>(stoppedWaiting);
  readonly #budgets = new Map<OrgId, TokenBucket>();

  constructor(
    private readonly database: Database,
    private readonly facts: LiveFactsQueries,
    private readonly releaseRefresh: ReleaseRefreshService,
    private readonly repos: RepositoriesRepository,
    private readonly clock: Clock,
  ) {}

  /** Shared by all who ask for the same release at once. It goes on after the deadline, and what comes of it is kept. */
  async refresh(orgId: OrgId, releaseId: string): Promise<RefreshStatus> {
    const isReached = await this.database.inTenant(
      orgId,
      async (tx) => ((await this.repos.findByRelease(tx, releaseId))?.ref ?? null) !== null,
    );
    if (!isReached) return { ...unknown('The app is not installed for the organization, or suspended.'), isReached };
    try {
      const look = this.#looks.run(
        `${orgId}/${releaseId}`,
        () => this.read(orgId, releaseId, 'live look'),
        AbortSignal.timeout(DEADLINE_MS),
      );
      return verificationOf(await look);
    } catch (error) {
      if (!GitHubError.is(error, 'timeout')) throw error;
      return unknown(`GitHub did not tell all of it within ${DEADLINE_MS / 1000} seconds.`);
    }
  }

  /** The same for a job, which is tried again where GitHub does not answer, or was not asked. */
  async refreshOrThrow(orgId: OrgId, releaseId: string, cause: string): Promise<void> {
    const { failures, isWhole } = await this.read(orgId, releaseId, cause);
    const passing = failures.find(({ isTransient }) => isTransient);
    if (passing) throw passing;
    if (!isWhole) throw new DomainError('unavailable', TOO_MANY);
  }

  /** What is too old is always read; the rest while the workspace does not look at too much. */
  private async read(orgId: OrgId, releaseId: string, cause: string): Promise<RefreshResult> {
    const before = new Date(this.clock.now().getTime() - MOMENT_MS);
    const tried = new Set<string>();
    const listUntried = async (): Promise<readonly FactKey[]> =>
      (await this.database.inTenant(orgId, (tx) => this.facts.listSeenBefore(tx, releaseId, before))).filter(
        (key) => !tried.has(factId(key)),
      );
    const failures: GitHubError[] = [];
    let hints = await listUntried();
    const isWhole = hints.length === 0 || this.budgetOf(orgId).take();
    if (!isWhole) hints = [];
    do {
      for (const key of hints) tried.add(factId(key));
      const result = await this.releaseRefresh.refresh(orgId, releaseId, { cause, actor: 'service' }, { hints });
      failures.push(...result.failures);
      // What was read may have led the verdict to facts that others have read long ago, as the checks of another candidate.
      hints = isWhole ? await listUntried() : [];
    } while (hints.length > 0);
    return { failures, isWhole };
  }

  private budgetOf(orgId: OrgId): TokenBucket {
    const budget = this.#budgets.get(orgId) ?? new TokenBucket(LOOKS_AT_ONCE, LOOKS_A_SECOND, this.clock);
    this.#budgets.set(orgId, budget);
    return budget;
  }
}

function verificationOf({ failures, isWhole }: RefreshResult): RefreshStatus {
  if (failures.some(({ isTransient }) => isTransient)) {
    return unknown('GitHub does not answer now: what it said before may be out of date.');
  }
  if (failures.length > 0) return unknown('GitHub does not let the app read all that the release rests on.');
  return isWhole ? { status: 'verified', reason: null, isReached: true } : unknown(TOO_MANY);
}

const unknown = (reason: string): RefreshStatus => ({ status: 'unknown', reason, isReached: true });
