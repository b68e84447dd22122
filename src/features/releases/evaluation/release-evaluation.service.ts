import { Injectable } from '@nestjs/common';
import { sha256 } from '../../../crypto/digests.js';
import type { TenantTransaction } from '../../../database/database.js';
import { FACT_LIFETIME_MS, type FactKey, parseFactId } from '../../../domain/facts/facts.js';
import { candidateAuthors, type Verdict, type VerdictInputs } from '../../../domain/release/evaluate.js';
import { WORKFLOWS_UNKNOWN, STALE_CODE } from '../../../domain/release/gate.js';
import { EventsRepository } from '../../../events/events.repository.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import { DecisionsRepository } from '../records/decisions.repository.js';
import { EvidencePullsRepository } from '../records/evidence-pulls.repository.js';
import { Promotions } from '../records/promotions.repository.js';
import { ReleasesRepository, type StoredRelease } from '../records/releases.repository.js';
import { RefreshRequests } from './refresh-requests.repository.js';
import { VerdictService } from './verdict.service.js';

/** How long changes of the evidence are gathered before the pull request follows them. */
export class EvidencePullDelay {
  constructor(readonly seconds: number = 5) {}
}

/** Why a release was thought over, and on whose account. */
export interface EvaluationCause {
  readonly cause: string;
  readonly actor: string;
  /** The evidence pull request is about to be written by who asks: no job has to. */
  readonly writesPull?: boolean;
  /** The candidate is about to be promoted by who asks, if its gate is open. */
  readonly promotes?: boolean;
  /** What is too old closes an open gate, whether or not a read is to come: the answer is given now, or GitHub did not tell. */
  readonly closesUnread?: boolean;
}

/** A release, and where it stands. */
export interface ReleaseEvaluation {
  readonly release: StoredRelease;
  readonly verdict: Verdict;
}

/** The same with what it was derived from. */
export interface ReleaseEvaluationWithInputs extends ReleaseEvaluation {
  readonly inputs: VerdictInputs;
}

export interface SavedEvaluation extends ReleaseEvaluation {
  readonly decisionId: string | null;
}

/** Conditions under which the evidence pull request has to be opened or rewritten. */
const PULL_NEEDS_WORK = ['evidence_pull_pending', 'evidence_pull_outdated', 'evidence_pull_merged_unapproved'];
/** Hints come in bursts: what comes within this time is read once. */
const READ_AGAIN_SECONDS = 1;
/** For so long a verdict waits for facts to be read again; a gate whose facts are too old for longer is closed. */
const LONGEST_UNREAD_MS = 30_000;

@Injectable()
export class ReleaseEvaluationService {
  constructor(
    private readonly releases: ReleasesRepository,
    private readonly verdicts: VerdictService,
    private readonly decisions: DecisionsRepository,
    private readonly pulls: EvidencePullsRepository,
    private readonly events: EventsRepository,
    private readonly jobs: JobsService,
    private readonly gathering: EvidencePullDelay,
    private readonly promotions: Promotions,
    private readonly refreshes: RefreshRequests,
  ) {}

  /** What a verdict of now would lack, read without judging the release; null where there is no such release. */
  async listMissingFacts(tx: TenantTransaction, releaseId: string): Promise<readonly FactKey[] | null> {
    const release = await this.releases.find(tx, releaseId);
    if (!release || release.record.deletedAt) return null;
    return (await this.verdicts.derive(tx, release)).wanted;
  }

  /** The facts of its last verdict that may have changed since they were observed. */
  async listChangeable(tx: TenantTransaction, releaseId: string): Promise<readonly FactKey[]> {
    const consulted = (await this.releases.find(tx, releaseId))?.consulted ?? [];
    return consulted.map(parseFactId).filter(({ kind }) => Number.isFinite(FACT_LIFETIME_MS[kind]));
  }

  /**
   * Where the release stands by what is stored now, and what that was derived from, for whoever only shows it: nothing is
   * held, and nothing written.
   */
  async evaluate(tx: TenantTransaction, releaseId: string): Promise<ReleaseEvaluationWithInputs | null> {
    const release = await this.releases.find(tx, releaseId);
    if (!release || release.record.deletedAt) return null;
    const { verdict, inputs } = await this.verdicts.derive(tx, release);
    return { release, verdict, inputs };
  }

  /** Where the release stands by what is stored now; it is held until the transaction ends, and nothing is written. */
  async evaluateLocked(tx: TenantTransaction, releaseId: string): Promise<ReleaseEvaluation | null> {
    const release = await this.releases.findForUpdate(tx, releaseId);
    if (!release || release.record.deletedAt) return null;
    return { release, verdict: (await this.verdicts.derive(tx, release)).verdict };
  }

  /**
   * Brings a release in line with what is known of it now. The stage, its log entry, the decision and the work that
   * follows commit together with whatever else the transaction holds. Null where there is no such release.
   *
   * Where a gate stood open and nothing speaks against it but facts that a hint made too old, nothing is decided before they
   * are read again: a gate that is asked reads them first. A job does; until then the stored verdict opens nothing.
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
      await this.refreshes.askFor(tx, [releaseId], cause.cause, READ_AGAIN_SECONDS);
      return { release, verdict, decisionId: await this.decisions.findLatest(tx, releaseId) };
    }
    const digest = sha256(JSON.stringify(essenceOf(verdict)));
    if (verdict.approval?.mergeApproval && release.record.evidencePull) {
      await this.pulls.recordMerge(
        tx,
        release.repositoryId,
        release.record.evidencePull.number,
        verdict.approval.mergeApproval,
      );
    }
    const authors = candidateAuthors(verdict, inputs);
    await this.releases.writeVerdict(tx, releaseId, { verdict, authors, digest }, inputs.now);
    const changed = digest !== release.verdictDigest;
    if (changed) {
      const { repositoryId } = release;
      await this.events.append(tx, { type: 'release.updated', repositoryId, milestoneId: releaseId });
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
    await this.followUp(tx, release, verdict, cause);
    if (cause.promotes !== true || verdict.gate.openUntil === null) {
      await this.promotions.askFor(tx, releaseId, verdict, inputs);
    }
    return { release, verdict, decisionId };
  }

  /**
   * Notes until when the decision holds the gate open, or since when the gate is closed: what changed first and was judged
   * later closed it when it changed. Of a shipped release nobody asks when its gate was open.
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
      await this.refreshes.renewForWaiting(tx, release, { candidateShas: verdict.candidateShas, openUntil, now });
    }
  }

  private async followUp(
    tx: TenantTransaction,
    release: StoredRelease,
    verdict: Verdict,
    cause: EvaluationCause,
  ): Promise<void> {
    const payload = { orgId: tx.orgId, releaseId: release.id };
    if (
      verdict.stage === 'EVIDENCING' &&
      !verdict.cancelled &&
      cause.writesPull !== true &&
      verdict.unmet.some(({ code }) => PULL_NEEDS_WORK.includes(code))
    ) {
      await this.jobs.enqueue(tx, 'refresh-evidence-pull', payload, { delaySeconds: this.gathering.seconds });
    }
    if (verdict.gate.reasons.some(({ code }) => code === WORKFLOWS_UNKNOWN)) {
      await this.jobs.enqueue(tx, 'watch-workflows', { orgId: tx.orgId, repositoryId: release.repositoryId });
    }
  }
}

/** Whether the gate stood open until a hint shortly ago, and facts that are to be read again are all that keeps it closed. */
const isOnlyUnread = ({ wasOpen, invalidatedAt, record }: StoredRelease, verdict: Verdict, now: Date): boolean =>
  wasOpen &&
  invalidatedAt !== null &&
  Math.abs(now.getTime() - invalidatedAt.getTime()) < LONGEST_UNREAD_MS &&
  verdict.stage === record.stage &&
  verdict.candidateSha === record.candidateSha &&
  verdict.gate.reasons.length > 0 &&
  verdict.gate.reasons.every(({ code }) => code === STALE_CODE);

/** What tells one verdict from another: not when it was given, nor how long it holds. */
const essenceOf = ({
  stage,
  unmet,
  cancelled,
  candidateSha,
  testsPassing,
  evidenceApproved,
  gate,
  overrides,
  policyDigest,
}: Verdict): unknown => [
  stage,
  unmet,
  cancelled,
  candidateSha,
  testsPassing,
  evidenceApproved,
  gate.openUntil !== null,
  gate.reasons,
  // What the policy names may hold later, or be struck out again: each has a decision to be found by.
  policyDigest,
  ...(overrides.length === 0 ? [] : [overrides]),
];
