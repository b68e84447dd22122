import { Injectable } from '@nestjs/common';
import { sha256 } from '../../../crypto/digests.js';
import type { TenantTransaction } from '../../../database/database.js';
import { getTraits } from '../../../domain/facts/condition-catalogue.js';
import { factExpiresAt, FACT_LIFETIME_MS, type FactKey, parseFactId, type Sha } from '../../../domain/facts/facts.js';
import { conditionUsers } from '../../../domain/release/condition-users.js';
import { candidateAuthors, type Verdict, type VerdictInputs } from '../../../domain/release/evaluate.js';
import { MAX_LISTED_BLOCKERS, summarizeVerdict } from '../../../domain/release/outcome.js';
import { RULES_VERSION } from '../../../domain/release/replay.js';
import { EventsRepository } from '../../../events/events.repository.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import { DecisionsRepository } from '../records/decisions.repository.js';
import { EvidencePullsRepository } from '../records/evidence-pulls.repository.js';
import { PromotionsRepository } from '../records/promotions.repository.js';
import { ReleasesQueries } from '../records/releases.queries.js';
import { ReleasesRepository, type StoredRelease } from '../records/releases.repository.js';
import { CompletedSoaksRepository } from './completed-soaks.repository.js';
import { VerdictService } from './verdict.service.js';

/** How many seconds evidence changes are collected before the pull request is updated. */
export class EvidencePullDelay {
  constructor(readonly seconds: number = 5) {}
}

/** Why a release is evaluated, and for whom. */
export interface EvaluationCause {
  readonly cause: string;
  readonly actor: string;
  /** The caller writes the evidence pull request itself, so no job is enqueued for it. */
  readonly writesPull?: boolean;
  /** The caller promotes the candidate itself if its gate is open. */
  readonly promotes?: boolean;
  /** Stale facts close an open gate even if a read is to come, because the result is needed now or GitHub did not answer. */
  readonly closesUnread?: boolean;
}

/** A release with its verdict. */
export interface ReleaseEvaluation {
  readonly release: StoredRelease;
  readonly verdict: Verdict;
}

/** The same with the inputs of the verdict. */
export interface ReleaseEvaluationWithInputs extends ReleaseEvaluation {
  readonly inputs: VerdictInputs;
}

export interface SavedEvaluation extends ReleaseEvaluationWithInputs {
  readonly decisionId: string | null;
}

/** Hints come in bursts. Those within this time are read once. */
const READ_AGAIN_SECONDS = 1;
/** The jobs of a matrix upload in bursts. Those within this time are united together. */
const UNITE_AFTER_SECONDS = 1;
/** How long a verdict waits for stale facts to be read again, in milliseconds. After that the gate is closed. */
const LONGEST_UNREAD_MS = 30_000;
/** How many seconds before its expiry a verdict is renewed while a deployment waits. */
const RENEWED_AHEAD_S = 60;
/** How long before their expiry the deployments of a running soak are read again. */
const SOAK_READ_AHEAD_MS = 5 * 60_000;
/** The read must begin after the end of the soak by every clock. */
const AFTER_SOAK_MS = 2_000;
/** How many seconds pass before deployments that could not be read are read again. */
const SOAK_RETRY_S = 30;
/** GitHub fails a job that waited 30 days for a review. */
const LONGEST_WAIT_MS = 31 * 86_400_000;

/** Derives and saves the verdicts of releases. */
@Injectable()
export class ReleaseEvaluationService {
  constructor(
    private readonly releases: ReleasesRepository,
    private readonly verdicts: VerdictService,
    private readonly decisions: DecisionsRepository,
    private readonly pulls: EvidencePullsRepository,
    private readonly events: EventsRepository,
    private readonly jobs: JobsService,
    private readonly pullDelay: EvidencePullDelay,
    private readonly promotions: PromotionsRepository,
    private readonly queries: ReleasesQueries,
    private readonly soaks: CompletedSoaksRepository,
  ) {}

  /** Lists the facts that a verdict would lack now, without saving one; null if there is no such release. */
  async listMissingFacts(tx: TenantTransaction, releaseId: string): Promise<readonly FactKey[] | null> {
    const release = await this.releases.find(tx, releaseId);
    if (!release || release.record.deletedAt) return null;
    return (await this.verdicts.derive(tx, release)).missingFacts;
  }

  /** Lists the facts of the last verdict that may have changed since they were observed. */
  async listChangeable(tx: TenantTransaction, releaseId: string): Promise<readonly FactKey[]> {
    const usedFacts = (await this.releases.find(tx, releaseId))?.usedFacts ?? [];
    return usedFacts.map(parseFactId).filter(({ kind }) => Number.isFinite(FACT_LIFETIME_MS[kind]));
  }

  /**
   * Evaluates the release by stored facts and returns the inputs too. Locks and writes nothing. Null if there is no such release.
   */
  async evaluate(tx: TenantTransaction, releaseId: string): Promise<ReleaseEvaluationWithInputs | null> {
    const release = await this.releases.find(tx, releaseId);
    if (!release || release.record.deletedAt) return null;
    const { verdict, inputs } = await this.verdicts.derive(tx, release);
    return { release, verdict, inputs };
  }

  /**
   * Evaluates the release by stored facts and locks it until the transaction ends. Writes nothing. Null if there is no such
   * release.
   */
  async evaluateLocked(tx: TenantTransaction, releaseId: string): Promise<ReleaseEvaluation | null> {
    const release = await this.releases.findForUpdate(tx, releaseId);
    if (!release || release.record.deletedAt) return null;
    return { release, verdict: (await this.verdicts.derive(tx, release)).verdict };
  }

  /**
   * Evaluates a release and saves the verdict. The stage, its transition, the decision and the follow-up jobs commit together
   * with the caller's transaction. Returns null if there is no such release. If the gate was open and only facts that a hint made
   * stale keep it closed, no decision is saved before they are read again. The gate reads them when it is called; otherwise a job
   * does. Until then the stored verdict opens nothing.
   */
  async evaluateAndSave(
    tx: TenantTransaction,
    releaseId: string,
    cause: EvaluationCause,
  ): Promise<SavedEvaluation | null> {
    const release = await this.releases.findForUpdate(tx, releaseId);
    if (!release || release.record.deletedAt) return null;
    const { verdict, inputs } = await this.verdicts.derive(tx, release);
    if (cause.closesUnread !== true && isOnlyUnread(release, verdict, inputs.now)) {
      const payload = { orgId: tx.orgId, releaseId, cause: cause.cause };
      await this.jobs.enqueue(tx, 'refresh-release', payload, {
        delaySeconds: READ_AGAIN_SECONDS,
        preservesRunAt: true,
      });
      return { release, verdict, inputs, decisionId: await this.decisions.findLatest(tx, releaseId) };
    }
    const digest = digestEssence(verdict);
    if (verdict.approval?.mergeApproval && release.record.evidencePull) {
      const { repositoryId } = release;
      const milestoneId = await this.pulls.recordMerge(
        tx,
        repositoryId,
        release.record.evidencePull.number,
        verdict.approval.mergeApproval,
      );
      if (milestoneId !== null) await this.events.append(tx, { type: 'review.updated', repositoryId, milestoneId });
    }
    const authors = candidateAuthors(verdict, inputs);
    const summary = summarizeVerdict(verdict);
    const users = await this.queries.listNamedUsers(
      tx,
      summary.blockers.slice(0, MAX_LISTED_BLOCKERS).map((condition) => conditionUsers(condition, verdict, inputs)),
    );
    await this.releases.writeVerdict(tx, releaseId, { verdict, authors, digest, summary, users }, inputs.now);
    await this.soaks.add(tx, releaseId, verdict.completedSoaks ?? []);
    const changed = digest !== release.verdictDigest;
    if (changed) {
      const { repositoryId } = release;
      await this.events.append(tx, { type: 'release.updated', repositoryId, milestoneId: releaseId });
      await this.enqueueHolds(tx, repositoryId);
    }
    const decisionId = changed
      ? await this.decisions.create(tx, releaseId, verdict, inputs)
      : await this.decisions.findLatest(tx, releaseId);
    await this.confirm(tx, release, decisionId, { verdict, inputs });
    if (verdict.stage !== release.record.stage || release.verdictDigest === null) {
      await this.decisions.recordTransition(tx, releaseId, {
        from: release.verdictDigest === null ? null : release.record.stage,
        to: verdict.stage,
        ...cause,
        at: inputs.now,
        inputDigest: sha256(JSON.stringify(inputs)),
      });
    }
    await this.followUp(tx, release, { verdict, inputs }, cause);
    if (cause.promotes !== true || verdict.gate.openUntil === null) {
      const delaySeconds = await this.promotions.findDelay(tx, releaseId, verdict, inputs);
      if (delaySeconds !== null) {
        await this.jobs.enqueue(tx, 'dispatch-deployment', { orgId: tx.orgId, releaseId }, { delaySeconds });
      }
    }
    return { release, verdict, inputs, decisionId };
  }

  /**
   * Records until when the decision opens the gate, or since when the gate is closed. A change that was evaluated later closed
   * the gate when it happened. Nothing is recorded for shipped releases, because their gate is not checked later.
   */
  private async confirm(
    tx: TenantTransaction,
    release: StoredRelease,
    decisionId: string | null,
    { verdict, inputs: { now } }: Pick<ReleaseEvaluationWithInputs, 'verdict' | 'inputs'>,
  ): Promise<void> {
    const { openUntil } = verdict.gate;
    if (decisionId === null || verdict.stage === 'DEPLOYED') return;
    const { invalidatedAt, wasOpen } = release;
    const staysOpen = openUntil !== null && verdict.candidateSha === release.record.candidateSha;
    if (wasOpen && !staysOpen && invalidatedAt !== null && invalidatedAt < now) {
      await this.decisions.recordConfirmation(tx, release.id, { decisionId, at: invalidatedAt, openUntil: null });
    }
    if (wasOpen || openUntil !== null) {
      await this.decisions.recordConfirmation(tx, release.id, { decisionId, at: now, openUntil });
    }
    if (openUntil !== null) {
      await this.enqueueRenewal(tx, release, { candidateShas: verdict.candidateShas, openUntil, now });
    }
  }

  /**
   * Enqueues a refresh before the verdict of an open gate expires if a deployment of its candidate waits for approval. No request
   * checks the gate at that time, and an expired verdict would leave the deployment without a decision.
   */
  private async enqueueRenewal(
    tx: TenantTransaction,
    { id: releaseId, repositoryId }: StoredRelease,
    {
      candidateShas,
      openUntil,
      now,
    }: { readonly candidateShas: readonly Sha[]; readonly openUntil: number; readonly now: Date },
  ): Promise<void> {
    const since = new Date(now.getTime() - LONGEST_WAIT_MS);
    if (!(await this.queries.hasWaitingDeployment(tx, repositoryId, candidateShas, since))) return;
    const delaySeconds = Math.max(RENEWED_AHEAD_S / 2, (openUntil - now.getTime()) / 1000 - RENEWED_AHEAD_S);
    await this.jobs.enqueue(
      tx,
      'force-refresh-release',
      { orgId: tx.orgId, releaseId, isRenewal: true },
      { delaySeconds },
    );
  }

  /** A changed verdict may let a deployment go that waits for the protection rule. */
  private async enqueueHolds(tx: TenantTransaction, repositoryId: string): Promise<void> {
    for (const holdId of await this.queries.listWaitingHolds(tx, repositoryId)) {
      await this.jobs.enqueue(tx, 'answer-hold', { orgId: tx.orgId, repositoryId, holdId });
    }
  }

  private async followUp(
    tx: TenantTransaction,
    release: StoredRelease,
    { verdict, inputs }: Pick<ReleaseEvaluationWithInputs, 'verdict' | 'inputs'>,
    cause: EvaluationCause,
  ): Promise<void> {
    const payload = { orgId: tx.orgId, releaseId: release.id };
    if (verdict.missingCoverage.length > 0) {
      await this.jobs.enqueue(tx, 'unite-coverage', payload, { delaySeconds: UNITE_AFTER_SECONDS });
    }
    if (
      verdict.stage === 'EVIDENCING' &&
      !verdict.cancelled &&
      cause.writesPull !== true &&
      verdict.unmet.some(({ code }) => getTraits(code).isClearedByEvidencePull)
    ) {
      await this.jobs.enqueue(tx, 'update-evidence-pull', payload, { delaySeconds: this.pullDelay.seconds });
    }
    if (verdict.nextSoakEnd !== undefined && !verdict.cancelled && !verdict.deleted) {
      const delaySeconds = secondsUntilSoakCheck(verdict.nextSoakEnd, inputs);
      await this.jobs.enqueue(tx, 'continue-soak', payload, { delaySeconds });
    }
    if (verdict.gate.reasons.some(({ code }) => code === 'workflows_unknown')) {
      await this.jobs.enqueue(tx, 'check-workflow-files', { orgId: tx.orgId, repositoryId: release.repositoryId });
    }
  }
}

/** Whether the gate was open until a recent hint, and only facts that will be read again keep it closed. */
const isOnlyUnread = ({ wasOpen, invalidatedAt, record }: StoredRelease, verdict: Verdict, now: Date): boolean =>
  wasOpen &&
  invalidatedAt !== null &&
  Math.abs(now.getTime() - invalidatedAt.getTime()) < LONGEST_UNREAD_MS &&
  verdict.stage === record.stage &&
  verdict.candidateSha === record.candidateSha &&
  verdict.gate.reasons.length > 0 &&
  verdict.gate.reasons.every(({ code }) => code === 'facts_stale');

/**
 * Returns in how many seconds the deployments must be read again: at the end of the soak, and before they expire, because a gap
 * restarts it. If that time is over, a read has failed.
 */
function secondsUntilSoakCheck(soakEnd: number, { observations, now }: VerdictInputs): number {
  const expiries = observations.filter(({ kind }) => kind === 'deployments').map(factExpiresAt);
  const ahead = Math.min(...expiries) - SOAK_READ_AHEAD_MS - now.getTime();
  const end = soakEnd + AFTER_SOAK_MS - now.getTime();
  const next = Math.min(end, ahead);
  return next > 0 ? Math.max(1, next / 1000) : SOAK_RETRY_S;
}

const digestEssence = (verdict: Verdict): string => sha256(JSON.stringify([RULES_VERSION, ...toEssence(verdict)]));

/**
 * The parts that distinguish verdicts: not the time, nor how long it is valid. The whole conditions belong to them, so that a decision
 * shows what users see.
 */
const toEssence = ({
  stage,
  unmet,
  cancelled,
  candidateSha,
  testsPassing,
  evidenceApproved,
  gate,
  overrides,
  policyDigest,
  artifacts,
}: Verdict): readonly unknown[] => [
  stage,
  unmet,
  cancelled,
  candidateSha,
  testsPassing,
  evidenceApproved,
  gate.openUntil !== null,
  gate.reasons,
  // A change of the policy alone must create a decision too, so that the decision can be found by its policy.
  policyDigest,
  ...(overrides.length === 0 ? [] : [overrides]),
  // A statement about a digest rests on the decision that accepted it.
  ...(artifacts ? [{ artifacts }] : []),
];
