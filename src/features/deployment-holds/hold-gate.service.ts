import { Injectable } from '@nestjs/common';
import { Clock } from '../../config/clock.js';
import { Database, type TenantTransaction } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import { differsOnlyInEvidence } from '../../domain/facts/commit-ancestry.js';
import type { Sha } from '../../domain/facts/facts.js';
import type { HeldRelease } from '../../domain/history/deployment-hold.js';
import { answerEnvironment } from '../../domain/release/environment-gate.js';
import type { Verdict } from '../../domain/release/evaluate.js';
import type { GateState } from '../../domain/release/gate.js';
import { ReleaseEvaluationService, type SavedEvaluation } from '../releases/evaluation/release-evaluation.service.js';
import { ReleaseRefreshService } from '../releases/evaluation/release-refresh.service.js';
import { ImmutableFactsService } from '../releases/facts/immutable-facts.service.js';
import { type CandidateRelease, DeploymentHoldsRepository } from './deployment-holds.repository.js';

const CAUSE = { cause: 'hold', actor: 'service' } as const;

/** The release of the commit of a hold, with its gate by facts that were just read. */
export interface HoldCandidate extends HeldRelease {
  readonly releaseId: string;
  /** The candidate when the commit was compared with it. */
  readonly candidateSha: Sha;
}

/** The commit of a hold, and the environment that it waits for. */
interface HeldCommit {
  readonly sha: Sha;
  readonly environment: string;
}

interface OpenGate {
  readonly decisionId: string;
  readonly openUntil: number;
}

/** Checks the gate for the commit of a hold. */
@Injectable()
export class HoldGateService {
  constructor(
    private readonly database: Database,
    private readonly holds: DeploymentHoldsRepository,
    private readonly refresh: ReleaseRefreshService,
    private readonly evaluations: ReleaseEvaluationService,
    private readonly facts: ImmutableFactsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the release whose candidate is this commit or an equivalent one, preferably one whose gate of the environment is open. Also returns
   * all releases that are not shipped.
   */
  async find(
    orgId: OrgId,
    repositoryId: string,
    { sha, environment }: HeldCommit,
  ): Promise<{ readonly candidate: HoldCandidate | null; readonly candidates: readonly CandidateRelease[] }> {
    const all = await this.database.inTenant(orgId, (tx) => this.holds.listCandidates(tx, repositoryId));
    const candidates = all.filter(({ isShipped }) => !isShipped);
    let closed: HoldCandidate | null = null;
    for (const release of await this.listMatching(orgId, all, sha)) {
      const candidate = await this.check(orgId, release, { sha, environment });
      if (candidate?.isOpen) return { candidate, candidates };
      closed ??= candidate;
    }
    return { candidate: closed, candidates };
  }

  /**
   * Evaluates the release once more and locks it. Returns the decision if the gate is open for the commit, else null. Saves the
   * decision as every evaluation does.
   */
  async confirm(
    tx: TenantTransaction,
    { releaseId, candidateSha }: HoldCandidate,
    { sha, environment }: HeldCommit,
  ): Promise<OpenGate | null> {
    const evaluation = await this.evaluations.evaluateAndSave(tx, releaseId, { ...CAUSE, closesUnread: true });
    if (!evaluation) return null;
    const { verdict, decisionId } = evaluation;
    const { openUntil } = findGate(evaluation, environment);
    if (openUntil === null || openUntil <= this.clock.now().getTime() || decisionId === null) return null;
    return isCandidate(verdict, { candidateSha }, sha) ? { decisionId, openUntil } : null;
  }

  private async listMatching(
    orgId: OrgId,
    all: readonly CandidateRelease[],
    sha: Sha,
  ): Promise<readonly CandidateRelease[]> {
    const exact = all.filter(({ candidateShas }) => candidateShas.includes(sha));
    if (exact.length > 0) return exact;
    const equivalent: CandidateRelease[] = [];
    for (const release of all.filter(({ isShipped }) => !isShipped)) {
      const key = { kind: 'comparison', key: `${release.candidateSha}...${sha}` } as const;
      const comparison = await this.facts.read(orgId, release.id, key);
      if (comparison && differsOnlyInEvidence(comparison, release.candidateSha)) equivalent.push(release);
    }
    return equivalent;
  }

  /** Refreshes stale facts first. If the gate is open then, reads all facts from GitHub again before a deployment is approved. */
  private async check(
    orgId: OrgId,
    { id: releaseId, version, candidateSha }: CandidateRelease,
    { sha, environment }: HeldCommit,
  ): Promise<HoldCandidate | null> {
    const { evaluation } = await this.refresh.refresh(orgId, releaseId, CAUSE);
    const isOpen = evaluation !== null && findGate(evaluation, environment).openUntil !== null;
    const last = isOpen ? await this.refresh.refreshAll(orgId, releaseId, CAUSE) : evaluation;
    if (!last || !isCandidate(last.verdict, { candidateSha }, sha)) return null;
    const { openUntil, reasons } = findGate(last, environment);
    const isOpenNow = openUntil !== null && openUntil > this.clock.now().getTime();
    return { releaseId, version, candidateSha, isOpen: isOpenNow, reasons };
  }
}

/** Returns the gate of the environment by a verdict. An environment that the policy does not name has none that opens. */
function findGate({ verdict, inputs }: SavedEvaluation, environment: string): Pick<GateState, 'openUntil' | 'reasons'> {
  const place = answerEnvironment(inputs, environment);
  if (place.kind === 'target') return verdict.gate;
  const reasons = place.kind === 'chain' ? place.reasons : [];
  const isOpen = place.kind === 'chain' && reasons.length === 0;
  return { openUntil: isOpen ? verdict.gate.validUntil : null, reasons };
}

/**
 * Whether the commit is a candidate by this verdict, or was equivalent to a candidate that has not changed since the comparison.
 */
const isCandidate = (
  { candidateSha, candidateShas }: Verdict,
  compared: { readonly candidateSha: Sha },
  sha: Sha,
): boolean => candidateShas.includes(sha) || candidateSha === compared.candidateSha;
