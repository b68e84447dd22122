import { Injectable } from '@nestjs/common';
import type { OrgId } from '../../database/ids.js';
import { Database } from '../../database/database.js';
import { factId, type FactKey, type Observation } from '../../domain/release/facts.js';
import type { GitHubError, GitHubErrorKind } from '../../github/github-error.js';
import { ObservationsRecorder } from '../observations/observations.recorder.js';
import { Observer } from '../observations/observer.service.js';
import { PlanRoom } from '../repos/plan-room.service.js';
import { ReposReader } from '../repos/repos.reader.js';
import type { GovernedRepository } from '../repos/governed-repository.js';
import { ReleaseEvaluation, type Cause, type Evaluation } from './release-evaluation.service.js';

/** Failures of the host that pass by themselves. */
const PASSING_FAILURES: readonly GitHubErrorKind[] = [
  'rate_limited',
  'unavailable',
  'timeout',
  'malformed',
  'unauthorized',
];
/** More rounds than there are kinds of facts are never needed: each fact leads to others of later kinds only. */
const ROUNDS_AT_MOST = 16;

export interface RefreshResult {
  /** Null where the release is gone. */
  readonly evaluation: Evaluation | null;
  /** Why facts that were asked for are still missing or old. */
  readonly failures: readonly GitHubError[];
}

/** Reads from the host what verdicts lack. No transaction is open while the host is asked. */
@Injectable()
export class ReleaseRefresh {
  private readonly underWay = new Map<string, Promise<RefreshResult>>();

  constructor(
    private readonly database: Database,
    private readonly evaluations: ReleaseEvaluation,
    private readonly observer: Observer,
    private readonly recorder: ObservationsRecorder,
    private readonly repos: ReposReader,
    private readonly planRoom: PlanRoom,
  ) {}

  /**
   * Evaluates a release, reads what its verdict lacks or holds too long, and goes on until nothing is wanted that the
   * host still tells. `hints` are facts that are known to have changed: they are read first, whatever their age.
   */
  async refresh(
    orgId: OrgId,
    releaseId: string,
    cause: Cause,
    { hints = [], signal }: { hints?: readonly FactKey[]; signal?: AbortSignal } = {},
  ): Promise<RefreshResult> {
    const tried = new Set<string>();
    const failures: GitHubError[] = [];
    let observations: readonly Observation[] = [];
    let evaluation: Evaluation | null = null;
    let wanted = hints;
    for (let round = 0; round < ROUNDS_AT_MOST; round += 1) {
      if (round > 0 || hints.length === 0) {
        evaluation = await this.database.inTenant(orgId, (tx) => this.evaluations.reevaluate(tx, releaseId, cause));
        if (!evaluation) return { evaluation, failures };
        wanted = evaluation.wanted.filter((key) => !tried.has(factId(key)));
        if (wanted.length === 0) break;
      }
      const repository = await this.repositoryOf(orgId, releaseId);
      if (!repository?.ref) break;
      for (const key of wanted) tried.add(factId(key));
      const look = await this.observer.look({ ...repository, ref: repository.ref }, wanted, signal);
      failures.push(...look.failures);
      observations = look.observations;
      await this.record(orgId, repository.id, observations);
      if (signal?.aborted) break;
    }
    return { evaluation, failures };
  }

  /** The same for a job: where the host did not answer, the job is to be tried again. */
  async refreshOrFail(orgId: OrgId, releaseId: string, cause: Cause, hints: readonly FactKey[] = []): Promise<void> {
    const { failures } = await this.refresh(orgId, releaseId, cause, { hints });
    const passing = failures.find(({ kind }) => PASSING_FAILURES.includes(kind));
    if (passing) throw passing;
  }

  /** Reads a repository's policy, whether or not a release asks for it. */
  async readPolicy(orgId: OrgId, repository: GovernedRepository): Promise<void> {
    if (!repository.ref) return;
    const look = await this.observer.look({ ...repository, ref: repository.ref }, [{ kind: 'policy', key: '' }]);
    await this.record(orgId, repository.id, look.observations);
  }

  /** The same, shared by everybody who asks for the same release at the same time. */
  async refreshTogether(orgId: OrgId, releaseId: string, cause: Cause, signal: AbortSignal): Promise<RefreshResult> {
    const key = `${orgId}/${releaseId}`;
    const running = this.underWay.get(key);
    if (running) return running;
    const started = this.refresh(orgId, releaseId, cause, { signal }).finally(() => this.underWay.delete(key));
    this.underWay.set(key, started);
    return started;
  }

  /** Keeps observations of a repository; a valid policy of its own makes it a managed one while the plan has room. */
  async record(orgId: OrgId, repositoryId: string, observations: readonly Observation[]): Promise<void> {
    if (observations.length === 0) return;
    await this.database.inTenant(orgId, async (tx) => {
      await this.recorder.record(tx, repositoryId, observations);
      const policy = observations.find(({ kind }) => kind === 'policy')?.value as { status?: string } | undefined;
      if (policy?.status === 'valid') await this.planRoom.take(tx, repositoryId);
    });
  }

  private async repositoryOf(orgId: OrgId, releaseId: string): Promise<GovernedRepository | null> {
    return this.database.inTenant(orgId, (tx) => this.repos.findByRelease(tx, releaseId));
  }
}
