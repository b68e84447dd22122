import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { CiCaller } from '../../../auth/caller.js';
import { withinDeadline } from '../../../concurrency/single-flight.js';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import { Database } from '../../../database/database.js';
import type { CommitSource } from '../../../domain/evidence/evidence.js';
import {
  explainUploadEffect,
  isOfCandidate,
  shortSha,
  type UploadEffect,
} from '../../../domain/evidence/upload-effect.js';
import { factExpiresAt, type FactKind, type Sha } from '../../../domain/facts/facts.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import type { Repository } from '../../../workspaces/repositories.repository.js';
import { releasePageUrl } from '../../../workspaces/repository-url.js';
import { LookupBudgetService, lookupKey } from '../../releases/discovery/lookup-budget.service.js';
import {
  ReleaseEvaluationService,
  type ReleaseEvaluationWithInputs,
} from '../../releases/evaluation/release-evaluation.service.js';
import { ReleaseRefreshService } from '../../releases/evaluation/release-refresh.service.js';
import { EvidenceQueries, type UploadOrigin } from '../evidence.queries.js';
import { uploadActor } from './upload-content.js';

/** How long an upload that is stored waits for GitHub until its effect is described by stored facts, in milliseconds. */
const DEADLINE_MS = 5_000;
/** A refresh that others share may have begun before the upload was stored. */
const REFRESHES_AT_MOST = 2;
/** The facts on which the candidate and its equivalent commits rest. */
const CANDIDATE_FACTS: ReadonlySet<FactKind> = new Set(['policy', 'refs', 'history', 'comparison']);

/** A stored upload. */
export interface StoredUpload {
  readonly evidenceId: string;
  readonly version: string;
  readonly releaseId: string;
  readonly repository: Repository;
  /** Whether the same upload was stored before. */
  readonly repeated: boolean;
}

/** The effect of an upload now. */
export interface DescribedUpload {
  readonly message: string;
  readonly commitSha: Sha;
  readonly commitSource: CommitSource;
  readonly candidateSha: Sha | null;
  readonly effect: UploadEffect;
  readonly releaseUrl: string;
}

interface KnownRelease {
  /** Null if the release was deleted. */
  readonly evaluation: ReleaseEvaluationWithInputs | null;
  readonly isCandidateKnown: boolean;
}

/** Describes what a stored upload means for its release, now. The answer never waits longer for GitHub than the deadline. */
@Injectable()
export class UploadEffectService {
  /** Commits that GitHub has. One that it does not have yet may be pushed later. */
  private readonly foundCommits = new LRUCache<string, true>({ max: 10_000 });

  constructor(
    private readonly database: Database,
    private readonly queries: EvidenceQueries,
    private readonly evaluations: ReleaseEvaluationService,
    private readonly refresh: ReleaseRefreshService,
    private readonly github: GitHubGateway,
    private readonly budget: LookupBudgetService,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Without an answer of GitHub an upload never decides, although it is stored and may decide later. */
  async describe(caller: CiCaller, upload: StoredUpload): Promise<DescribedUpload> {
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const origin = await this.database.inTenant(caller.orgId, (tx) => this.queries.getOrigin(tx, upload.evidenceId));
    const { evaluation, isCandidateKnown } = await this.readRelease(caller, upload.releaseId, signal);
    const { commitSha, commitSource, items } = origin;
    const verdict = evaluation?.verdict;
    const candidate = {
      commitSha,
      isCandidateKnown,
      candidateSha: isCandidateKnown ? (verdict?.candidateSha ?? null) : null,
      candidateShas: verdict?.candidateShas ?? [],
    };
    const isKnown = isOfCandidate(candidate) || hasCommit(evaluation, commitSha);
    const { effect, because } = explainUploadEffect({
      ...candidate,
      items,
      evidenceSet: verdict?.evidenceSet ?? [],
      isShipped: verdict?.stage === 'DEPLOYED',
      commitExists: isKnown || (await this.commitExists(caller, upload.repository, commitSha, signal)),
    });
    return {
      message: formatMessage(upload, origin, because),
      commitSha,
      commitSource,
      candidateSha: candidate.candidateSha,
      effect,
      releaseUrl: releasePageUrl(this.environment, upload.repository.org, upload.releaseId),
    };
  }

  /** Evaluates the release, after the facts of its candidate were read if GitHub provides them in time. */
  private async readRelease(caller: CiCaller, releaseId: string, signal: AbortSignal): Promise<KnownRelease> {
    const evaluate = async (): Promise<KnownRelease> => {
      const evaluation = await this.database.inTenant(caller.orgId, (tx) => this.evaluations.evaluate(tx, releaseId));
      return { evaluation, isCandidateKnown: evaluation !== null && knowsCandidate(evaluation) };
    };
    let known = await evaluate();
    const cause = { cause: 'evidence', actor: uploadActor(caller) };
    for (let reads = 0; reads < REFRESHES_AT_MOST; reads += 1) {
      if (known.isCandidateKnown || known.evaluation === null || signal.aborted) break;
      await withinDeadline(this.refresh.refreshShared(caller.orgId, releaseId, cause), signal);
      known = await evaluate();
    }
    return known;
  }

  /** Returns null if GitHub does not answer before the signal, or the caller has used up its look-ups. */
  private async commitExists(
    caller: CiCaller,
    { id, ref }: Pick<Repository, 'id' | 'ref'>,
    sha: Sha,
    signal: AbortSignal,
  ): Promise<boolean | null> {
    const key = `${caller.orgId}/${id}/${sha}`;
    if (this.foundCommits.has(key)) return true;
    if (ref === null || !this.budget.consume(lookupKey(caller))) return null;
    try {
      const exists = await this.github.commits.exists(ref, sha, signal);
      if (exists) this.foundCommits.set(key, true);
      return exists;
    } catch (error) {
      if (error instanceof GitHubError) return null;
      throw error;
    }
  }
}

/** A shipped release keeps its candidate, whatever is stale. */
const knowsCandidate = ({ verdict, inputs: { observations, now } }: ReleaseEvaluationWithInputs): boolean =>
  verdict.stage === 'DEPLOYED' ||
  (!verdict.missing.some(({ kind }) => CANDIDATE_FACTS.has(kind)) &&
    observations.every((fact) => !CANDIDATE_FACTS.has(fact.kind) || factExpiresAt(fact) > now.getTime()));

/** Whether GitHub listed the commit in a fact that is stored. */
const hasCommit = (evaluation: ReleaseEvaluationWithInputs | null, sha: Sha): boolean =>
  (evaluation?.inputs.observations ?? []).some(
    ({ kind, value }) =>
      (kind === 'history' || kind === 'refs') &&
      (value as readonly { readonly sha: Sha }[]).some((known) => known.sha === sha),
  );

const BOUND: Readonly<Record<CommitSource, string>> = {
  token: '',
  stated: '',
  candidate: ' (it names no commit, so the candidate was taken)',
  branch_head: ' (it names no commit, so the head of the development branch was taken)',
};

const formatMessage = (
  { version, repeated }: StoredUpload,
  { commitSha, commitSource }: UploadOrigin,
  because: string,
): string =>
  `Evidence ${repeated ? 'was already received' : 'received'} for ${version} at ${shortSha(commitSha)}${BOUND[commitSource]}; ${because}.`;
