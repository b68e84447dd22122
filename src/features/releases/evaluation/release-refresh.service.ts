import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { factId, parseFactId, type FactKey, type FactKind } from '../../../domain/facts/facts.js';
import type { GitHubError } from '../../../github/transport/github-error.js';
import { type Repository, RepositoriesRepository } from '../../../workspaces/repositories.repository.js';
import { FactHints, type FactHint } from '../facts/fact-hints.repository.js';
import { FactReaderService } from '../facts/fact-reader.service.js';
import { FactsRepository } from '../facts/facts.repository.js';
import { ReleaseEvaluationService, type EvaluationCause, type SavedEvaluation } from './release-evaluation.service.js';

/** More rounds than there are kinds of facts are never needed: each fact leads to others of later kinds only. */
const ROUNDS_AT_MOST = 16;
/** How often a fact is asked for that changes whenever it is read, before it is left to a job. */
const READS_AT_MOST = 3;

/**
 * Facts that are said to have changed again and again within seconds: a matrix of 256 jobs has 768 deliveries. Nothing rests on what
 * is stored of them from the first on, and they are read once for all that come within the delay.
 */
const GATHERED: ReadonlySet<FactKind> = new Set(['run_jobs']);
const GATHERING_SECONDS = 1;

export interface RefreshResult {
  /** Null where the release is gone. */
  readonly evaluation: SavedEvaluation | null;
  /** Why facts that were asked for are still missing or old. */
  readonly failures: readonly GitHubError[];
}

/** Reads from the host what verdicts lack. No transaction is open while the host is asked. */
@Injectable()
export class ReleaseRefreshService {
  private readonly underWay = new Map<string, Promise<RefreshResult>>();

  constructor(
    private readonly database: Database,
    private readonly evaluations: ReleaseEvaluationService,
    private readonly observer: FactReaderService,
    private readonly facts: FactsRepository,
    private readonly repos: RepositoriesRepository,
    private readonly hints: FactHints,
  ) {}

  /**
   * Reads what the release's verdict lacks or holds too long, until nothing is wanted that the host still tells, and
   * evaluates the release then: what is too old only because nobody looked is no decision. `hints` are read first,
   * whatever their age.
   */
  async refresh(
    orgId: OrgId,
    releaseId: string,
    cause: EvaluationCause,
    { hints = [] }: { hints?: readonly FactKey[] } = {},
  ): Promise<RefreshResult> {
    const tried = new Set<string>();
    const refusals: string[] = [];
    const failures: GitHubError[] = [];
    let isReached = true;
    for (let round = 0; round < ROUNDS_AT_MOST; round += 1) {
      const wanted = round === 0 && hints.length > 0 ? hints : await this.listWanted(orgId, releaseId, tried);
      if (wanted.length === 0) break;
      for (const key of wanted) tried.add(factId(key));
      // First, so that a hint which comes while the repository is looked up concerns what is read by it.
      const readNumber = await this.hints.next();
      const repository = await this.database.inTenant(orgId, (tx) => this.repos.findByRelease(tx, releaseId));
      if (!repository?.ref) {
        isReached = false;
        break;
      }
      const look = await this.observer.read({ ...repository, ref: repository.ref }, wanted, { readNumber });
      failures.push(...look.failures);
      const { refused } = await this.database.inTenant(orgId, (tx) =>
        this.facts.saveAndInvalidate(tx, repository.id, look.observations, {
          cause: cause.cause,
          evaluating: releaseId,
        }),
      );
      refusals.push(...refused.map(factId));
      for (const id of refused.map(factId)) if (countOf(id, refusals) < READS_AT_MOST) tried.delete(id);
    }
    const told = { ...cause, closesUnread: failures.length > 0 || !isReached };
    const evaluation = await this.database.inTenant(orgId, (tx) =>
      this.evaluations.evaluateAndSave(tx, releaseId, told),
    );
    return { evaluation, failures };
  }

  /**
   * Reads all that the verdict rests on and that may change, whatever its age, and evaluates the release by it. Fails where
   * the host did not tell all of it.
   */
  async refreshAll(orgId: OrgId, releaseId: string, cause: EvaluationCause): Promise<SavedEvaluation | null> {
    const hints = await this.database.inTenant(orgId, (tx) => this.evaluations.listChangeable(tx, releaseId));
    const { evaluation, failures } = await this.refresh(orgId, releaseId, cause, { hints });
    const [failure] = failures;
    if (failure) throw failure;
    return evaluation;
  }

  /** The same for a job: where the host did not answer, the job is to be tried again. */
  async refreshOrFail(orgId: OrgId, releaseId: string, cause: EvaluationCause): Promise<void> {
    failIfPassing((await this.refresh(orgId, releaseId, cause)).failures);
  }

  /**
   * Reads facts that are known to have changed; what rests on them is thought over by jobs. A fact that cannot be read
   * again counts as too old from here on, because what is stored of it is known to be outdated; so does one that is gathered.
   */
  async refreshFacts(orgId: OrgId, repository: Repository, facts: readonly FactKey[], cause: string): Promise<void> {
    if (facts.length === 0) return;
    const before = await this.hints.next();
    const gathered = facts.filter(({ kind }) => GATHERED.has(kind));
    const atOnce = facts.filter(({ kind }) => !GATHERED.has(kind));
    const { observations, failures } = repository.ref
      ? await this.observer.read({ ...repository, ref: repository.ref }, atOnce)
      : { observations: [], failures: [] };
    const seen = new Set(observations.map(factId));
    const unseen = atOnce.filter((fact) => !seen.has(factId(fact)));
    await this.database.inTenant(orgId, async (tx) => {
      await this.facts.saveAndInvalidate(tx, repository.id, observations, { cause });
      if (unseen.length > 0) await this.facts.expire(tx, repository.id, unseen, { cause, before });
      if (gathered.length > 0) {
        const options = { cause, before, delaySeconds: GATHERING_SECONDS };
        await this.facts.expire(tx, repository.id, gathered, options);
      }
    });
    failIfPassing(failures);
  }

  /** Does that for one fact, named as `kind:key`, of a repository that may be gone by now. */
  async readAgain(orgId: OrgId, repositoryId: string, fact: string, cause: string): Promise<void> {
    const repository = await this.database.inTenant(orgId, (tx) => this.repos.find(tx, repositoryId));
    if (repository) await this.refreshFacts(orgId, repository, [parseFactId(fact)], cause);
  }

  /** Lets facts of a repository, or of all where it is null, count as too old, also those that are being read at this moment. */
  async doubt(orgId: OrgId, repositoryId: string | null, hints: readonly FactHint[], cause: string): Promise<void> {
    const before = await this.database.inTenant(orgId, (tx) => this.hints.note(tx, repositoryId, hints));
    const ids =
      repositoryId === null
        ? (await this.database.inTenant(orgId, (tx) => this.repos.list(tx))).map(({ id }) => id)
        : [repositoryId];
    for (const id of ids) {
      await this.database.inTenant(orgId, (tx) => this.facts.expire(tx, id, hints, { cause, before }));
    }
  }

  /** Reads a repository's policy, whether or not a release asks for it. */
  async readPolicy(orgId: OrgId, repository: Repository): Promise<void> {
    if (!repository.ref) return;
    const look = await this.observer.read({ ...repository, ref: repository.ref }, [{ kind: 'policy', key: '' }]);
    await this.database.inTenant(orgId, (tx) =>
      this.facts.saveAndInvalidate(tx, repository.id, look.observations, { cause: 'sync' }),
    );
  }

  /**
   * The same, shared by everybody who asks for the same release at the same time. It does not end with the patience of
   * the first who asked: those who joined later wait on.
   */
  async refreshShared(orgId: OrgId, releaseId: string, cause: EvaluationCause): Promise<RefreshResult> {
    const key = `${orgId}/${releaseId}`;
    const running = this.underWay.get(key);
    if (running) return running;
    const started = this.refresh(orgId, releaseId, cause).finally(() => this.underWay.delete(key));
    this.underWay.set(key, started);
    return started;
  }

  private async listWanted(orgId: OrgId, releaseId: string, tried: ReadonlySet<string>): Promise<readonly FactKey[]> {
    const wanted = await this.database.inTenant(orgId, (tx) => this.evaluations.listMissingFacts(tx, releaseId));
    return (wanted ?? []).filter((key) => !tried.has(factId(key)));
  }
}

const countOf = (id: string, ids: readonly string[]): number => ids.filter((other) => other === id).length;

function failIfPassing(failures: readonly GitHubError[]): void {
  const passing = failures.find(({ isTransient }) => isTransient);
  if (passing) throw passing;
}
