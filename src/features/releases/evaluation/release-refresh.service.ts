import { Injectable } from '@nestjs/common';
import { SingleFlight } from '../../../concurrency/single-flight.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { factId, parseFactId, type FactKey, type FactKind } from '../../../domain/facts/facts.js';
import type { GitHubError } from '../../../github/transport/github-error.js';
import { JobHandler } from '../../../jobs/job-handlers.js';
import type { JobPayload } from '../../../jobs/job.js';
import { type Repository, RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { FactHintsRepository, type FactHint } from '../facts/fact-hints.repository.js';
import { FactReaderService } from '../facts/fact-reader.service.js';
import { FactsService } from '../facts/facts.service.js';
import { ReleaseEvaluationService, type EvaluationCause, type SavedEvaluation } from './release-evaluation.service.js';

/** An upper bound. Each fact leads only to facts of later kinds, so there are never more rounds than kinds. */
const MAX_ROUNDS = 16;
/** How often a fact that changes during each read is read before a job takes over. */
const MAX_READS = 3;

/**
 * Facts that change many times within seconds: a matrix of 256 jobs causes 768 deliveries. The first change invalidates them, and
 * one read serves all changes within the delay.
 */
const COLLECTED: ReadonlySet<FactKind> = new Set(['run_jobs']);
const COLLECTING_SECONDS = 1;

export interface RefreshResult {
  /** Null if the release is deleted. */
  readonly evaluation: SavedEvaluation | null;
  /** Why requested facts are still missing or stale. */
  readonly failures: readonly GitHubError[];
}

/** Reads the facts that verdicts lack from GitHub. No transaction is open during a request to GitHub. */
@Injectable()
export class ReleaseRefreshService {
  private readonly running = new SingleFlight<RefreshResult>();

  constructor(
    private readonly database: Database,
    private readonly evaluations: ReleaseEvaluationService,
    private readonly factReader: FactReaderService,
    private readonly facts: FactsService,
    private readonly repos: RepositoriesRepository,
    private readonly hints: FactHintsRepository,
  ) {}

  /**
   * Reads missing and stale facts until the verdict lacks none that GitHub can provide, then evaluates the release. A fact that
   * is stale only because it was not read must not lead to a decision. `hints` are read first, regardless of their age.
   */
  async refresh(
    orgId: OrgId,
    releaseId: string,
    cause: EvaluationCause,
    { hints = [] }: { hints?: readonly FactKey[] } = {},
  ): Promise<RefreshResult> {
    const tried = new Set<string>();
    const refusedIds: string[] = [];
    const failures: GitHubError[] = [];
    let isReached = true;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const missing = round === 0 && hints.length > 0 ? hints : await this.listMissing(orgId, releaseId, tried);
      if (missing.length === 0) break;
      for (const key of missing) tried.add(factId(key));
      // Taken first, so that a hint during the repository query still invalidates this read.
      const readNumber = await this.hints.next();
      const repository = await this.database.inTenant(orgId, (tx) => this.repos.findByRelease(tx, releaseId));
      if (!repository?.ref) {
        isReached = false;
        break;
      }
      const result = await this.factReader.read({ ...repository, orgId, ref: repository.ref }, missing, { readNumber });
      failures.push(...result.failures);
      const { refused } = await this.database.inTenant(orgId, (tx) =>
        this.facts.saveAndInvalidate(tx, repository.id, result.observations, {
          cause: cause.cause,
          evaluating: releaseId,
        }),
      );
      refusedIds.push(...refused.map(factId));
      for (const id of refused.map(factId)) if (countOccurrences(id, refusedIds) < MAX_READS) tried.delete(id);
    }
    const finalCause = { ...cause, closesUnread: failures.length > 0 || !isReached };
    const evaluation = await this.database.inTenant(orgId, (tx) =>
      this.evaluations.evaluateAndSave(tx, releaseId, finalCause),
    );
    return { evaluation, failures };
  }

  /**
   * Reads all changeable facts of the verdict, regardless of their age, and evaluates the release. Throws if GitHub did not
   * provide all of them.
   */
  async refreshAll(orgId: OrgId, releaseId: string, cause: EvaluationCause): Promise<SavedEvaluation | null> {
    const hints = await this.database.inTenant(orgId, (tx) => this.evaluations.listChangeable(tx, releaseId));
    const { evaluation, failures } = await this.refresh(orgId, releaseId, cause, { hints });
    const [failure] = failures;
    if (failure) throw failure;
    return evaluation;
  }

  /** Throws if GitHub did not answer, so that the job is retried. */
  @JobHandler('refresh-release')
  async refreshOne({ orgId, releaseId, cause }: JobPayload<'refresh-release'>): Promise<void> {
    throwIfTransient((await this.refresh(orgId, releaseId, { cause, actor: 'service' })).failures);
  }

  /** Throws if GitHub did not answer, so that the job is retried. */
  @JobHandler('continue-soak')
  async continueSoak({ orgId, releaseId }: JobPayload<'continue-soak'>): Promise<void> {
    const changeable = await this.database.inTenant(orgId, (tx) => this.evaluations.listChangeable(tx, releaseId));
    const hints = changeable.filter(({ kind }) => kind === 'deployments');
    throwIfTransient((await this.refresh(orgId, releaseId, { cause: 'soak', actor: 'service' }, { hints })).failures);
  }

  /** Refreshes the stale releases of a page. */
  @JobHandler('refresh-listed-releases')
  async refreshListed({ orgId, releaseIds }: JobPayload<'refresh-listed-releases'>): Promise<void> {
    for (const releaseId of releaseIds) {
      const { failures } = await this.refresh(orgId, releaseId, { cause: 'list', actor: 'service' });
      // GitHub is unavailable. The next request for the page enqueues the job again.
      if (failures.some(({ isTransient }) => isTransient)) return;
    }
  }

  /**
   * Reads facts that have changed; jobs evaluate the releases that use them. A fact that cannot be read is marked as stale,
   * because its stored value is outdated. So is a fact whose changes are collected.
   */
  async refreshFacts(orgId: OrgId, repository: Repository, facts: readonly FactKey[], cause: string): Promise<void> {
    if (facts.length === 0) return;
    const before = await this.hints.next();
    const collected = facts.filter(({ kind }) => COLLECTED.has(kind));
    const atOnce = facts.filter(({ kind }) => !COLLECTED.has(kind));
    const { observations, failures } = repository.ref
      ? await this.factReader.read({ ...repository, orgId, ref: repository.ref }, atOnce)
      : { observations: [], failures: [] };
    const seen = new Set(observations.map(factId));
    const unseen = atOnce.filter((fact) => !seen.has(factId(fact)));
    await this.database.inTenant(orgId, async (tx) => {
      await this.facts.saveAndInvalidate(tx, repository.id, observations, { cause });
      if (unseen.length > 0) await this.facts.expire(tx, repository.id, unseen, { cause, before });
      if (collected.length > 0) {
        const options = { cause, before, delaySeconds: COLLECTING_SECONDS };
        await this.facts.expire(tx, repository.id, collected, options);
      }
    });
    throwIfTransient(failures);
  }

  /** Reads one fact, named as `kind:key`. The repository may have been removed. */
  @JobHandler('read-fact')
  async readFact({ orgId, repositoryId, fact, cause }: JobPayload<'read-fact'>): Promise<void> {
    const repository = await this.database.inTenant(orgId, (tx) => this.repos.find(tx, repositoryId));
    if (repository) await this.refreshFacts(orgId, repository, [parseFactId(fact)], cause);
  }

  @JobHandler('invalidate-policies')
  async invalidatePolicies({ orgId }: JobPayload<'invalidate-policies'>): Promise<void> {
    await this.invalidateFacts(orgId, null, [{ kind: 'policy', key: '' }], 'organization default');
  }

  /** Marks facts as stale, also those that are being read now. A null repository means all repositories. */
  async invalidateFacts(
    orgId: OrgId,
    repositoryId: string | null,
    hints: readonly FactHint[],
    cause: string,
  ): Promise<void> {
    const before = await this.database.inTenant(orgId, (tx) => this.hints.note(tx, repositoryId, hints));
    const ids =
      repositoryId === null
        ? (await this.database.inTenant(orgId, (tx) => this.repos.list(tx))).map(({ id }) => id)
        : [repositoryId];
    for (const id of ids) {
      await this.database.inTenant(orgId, (tx) => this.facts.expire(tx, id, hints, { cause, before }));
    }
  }

  /** Reads the policy of a repository, whether or not a release needs it. */
  async readPolicy(orgId: OrgId, repository: Repository): Promise<void> {
    if (!repository.ref) return;
    const result = await this.factReader.read({ ...repository, orgId, ref: repository.ref }, [
      { kind: 'policy', key: '' },
    ]);
    await this.database.inTenant(orgId, (tx) =>
      this.facts.saveAndInvalidate(tx, repository.id, result.observations, { cause: 'sync' }),
    );
  }

  /**
   * Refreshes the release once for all callers who wait at the same time. It continues when the first caller stops waiting, because
   * later callers still wait.
   */
  refreshShared(orgId: OrgId, releaseId: string, cause: EvaluationCause): Promise<RefreshResult> {
    return this.running.run(`${orgId}/${releaseId}`, () => this.refresh(orgId, releaseId, cause));
  }

  private async listMissing(orgId: OrgId, releaseId: string, tried: ReadonlySet<string>): Promise<readonly FactKey[]> {
    const missing = await this.database.inTenant(orgId, (tx) => this.evaluations.listMissingFacts(tx, releaseId));
    return (missing ?? []).filter((key) => !tried.has(factId(key)));
  }
}

const countOccurrences = (id: string, ids: readonly string[]): number => ids.filter((other) => other === id).length;

function throwIfTransient(failures: readonly GitHubError[]): void {
  const transient = failures.find(({ isTransient }) => isTransient);
  if (transient) throw transient;
}
