import { Injectable } from '@nestjs/common';
import type { Member } from '../../auth/caller.js';
import { Clock } from '../../config/clock.js';
import type { TenantTransaction } from '../../database/database.js';
import type { JsonObject } from '../../domain/audit/canonical-json.js';
import { BREAK_GLASS_DURATION_MS, confirmationProblem } from '../../domain/override/override.js';
import type { Verdict } from '../../domain/release/evaluate.js';
import { EventsRepository } from '../../events/events.repository.js';
import { releaseNotFound } from '../../http/errors/domain-error.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { MembersRepository } from '../accounts/members/members.repository.js';
import { AuditLogService } from '../audit/audit-log.service.js';
import { type ReleaseEvaluation, ReleaseEvaluationService } from '../releases/evaluation/release-evaluation.service.js';
import { releaseAlreadyShipped, releaseCancelled } from '../releases/releases.errors.js';
import {
  overrideNotFound,
  noCandidate,
  candidateChanged,
  cannotConfirmOwnRequest,
  alreadyConfirmed,
  requesterNotAdmin,
  requestIdRequired,
} from './overrides.errors.js';
import { type OverrideKind, type OverrideByKind, OverridesRepository } from './overrides.repository.js';

/** A locked release with its verdict by stored facts and its candidate. */
export interface LockedRelease extends ReleaseEvaluation {
  readonly candidateSha: string;
}

/**
 * Confirms and withdraws overrides. Each change locks the release, so that of a concurrent confirmation and withdrawal the later
 * one sees the result of the earlier one.
 */
@Injectable()
export class TwoPersonApprovalService {
  constructor(
    private readonly overrides: OverridesRepository,
    private readonly members: MembersRepository,
    private readonly evaluations: ReleaseEvaluationService,
    private readonly jobs: JobsService,
    private readonly events: EventsRepository,
    private readonly audit: AuditLogService,
    private readonly clock: Clock,
  ) {}

  /**
   * Locks the release for an admin who requests or confirms an override. Throws if the release is shipped or cancelled or has no
   * candidate.
   */
  async lockRelease(tx: TenantTransaction, { user }: Member, releaseId: string): Promise<LockedRelease> {
    await this.members.lockAdmin(tx, user.id);
    const evaluation = await this.evaluations.evaluateLocked(tx, releaseId);
    if (!evaluation) throw releaseNotFound();
    if (evaluation.release.record.shipped) throw releaseAlreadyShipped();
    if (evaluation.verdict.cancelled) throw releaseCancelled();
    const { candidateSha } = evaluation.verdict;
    if (candidateSha === null) throw noCandidate();
    return { ...evaluation, candidateSha };
  }

  /**
   * Confirms a request. Throws `forbidden` for the user's own request, `conflict` if it is confirmed already, its requester is
   * not an admin any more or the candidate has changed, `not_found` if it was withdrawn or has expired.
   */
  async confirm<K extends OverrideKind>(
    tx: TenantTransaction,
    kind: K,
    member: Member,
    { releaseId, overrideId }: { readonly releaseId: string; readonly overrideId: string },
  ): Promise<OverrideByKind[K]> {
    const { verdict, release, candidateSha } = await this.lockRelease(tx, member, releaseId);
    const now = this.clock.now();
    const override = await this.find(tx, kind, releaseId, overrideId, now);
    const by = { id: member.user.id, login: member.user.login };
    const problem = confirmationProblem(override, by, now);
    if (problem === 'own') throw cannotConfirmOwnRequest();
    if (problem === 'confirmed') throw alreadyConfirmed();
    if (problem === 'expired') throw overrideNotFound();
    if (!(await this.members.lockIfAdmin(tx, override.requestedBy.id))) throw requesterNotAdmin();
    if (!isOfCandidate(override, verdict)) throw candidateChanged(candidateSha);
    const confirmed = { ...override, confirmedBy: by, confirmedAt: now, expiresAt: computeExpiry(kind, override, now) };
    await this.overrides.confirm(tx, kind, confirmed);
    await this.reevaluate(tx, releaseId, kind, member);
    await this.recordAndNotify(tx, kind, 'confirmed', member, {
      evaluation: { verdict, release },
      override: confirmed,
    });
    return confirmed;
  }

  /** Withdraws a request, confirmed or not. Throws `not_found` if it was withdrawn already or has expired. */
  async withdraw(
    tx: TenantTransaction,
    kind: OverrideKind,
    member: Member,
    { releaseId, overrideId }: { readonly releaseId: string; readonly overrideId: string },
  ): Promise<void> {
    await this.members.lockAdmin(tx, member.user.id);
    const evaluation = await this.evaluations.evaluateLocked(tx, releaseId);
    if (!evaluation) throw releaseNotFound();
    const now = this.clock.now();
    const override = await this.find(tx, kind, releaseId, overrideId, now);
    await this.overrides.withdraw(tx, kind, override.id, member.user, now);
    await this.reevaluate(tx, releaseId, kind, member);
    await this.recordAndNotify(tx, kind, 'withdrawn', member, { evaluation, override });
  }

  /** Returns the id of the only pending request. Throws `not_found` if there is none, `conflict` if there are several. */
  async findOnlyPending(tx: TenantTransaction, kind: OverrideKind, member: Member, releaseId: string): Promise<string> {
    await this.lockRelease(tx, member, releaseId);
    const pending = (await this.overrides.list(tx, kind, releaseId, this.clock.now())).filter(
      ({ confirmedAt }) => confirmedAt === null,
    );
    const [only, ...others] = pending;
    if (!only) throw overrideNotFound();
    if (others.length > 0) throw requestIdRequired();
    return only.id;
  }

  /** Writes the change of a request to the audit log and notifies the event streams of the workspace. */
  async recordAndNotify<K extends OverrideKind>(
    tx: TenantTransaction,
    kind: K,
    change: 'requested' | 'confirmed' | 'withdrawn',
    { user }: Member,
    {
      evaluation: { release },
      override,
    }: { readonly evaluation: ReleaseEvaluation; readonly override: OverrideByKind[K] },
  ): Promise<void> {
    const { repositoryId, id: milestoneId } = release;
    await this.events.append(tx, { type: 'release.updated', repositoryId, milestoneId });
    await this.audit.append(tx, {
      actor: { type: 'person', id: user.id, login: user.login },
      action: `${kind}.${change}`,
      subject: release.record.version,
      data: { milestoneId, repositoryId, ...toAuditData(override) },
      repositoryIds: [repositoryId],
    });
  }

  private async find<K extends OverrideKind>(
    tx: TenantTransaction,
    kind: K,
    releaseId: string,
    overrideId: string,
    now: Date,
  ): Promise<OverrideByKind[K]> {
    const override = (await this.overrides.list(tx, kind, releaseId, now)).find(({ id }) => id === overrideId);
    if (!override) throw overrideNotFound();
    return override;
  }

  /** Evaluates at once by stored facts, so that a gate that must close closes now, and enqueues a refresh of the stale facts. */
  private async reevaluate(tx: TenantTransaction, releaseId: string, cause: string, { user }: Member): Promise<void> {
    await this.evaluations.evaluateAndSave(tx, releaseId, { cause, actor: user.login });
    await this.jobs.enqueue(tx, 'refresh-release', { orgId: tx.orgId, releaseId, cause });
  }
}

const isOfCandidate = (override: OverrideByKind[OverrideKind], { candidateShas }: Verdict): boolean =>
  candidateShas.includes('sha' in override ? override.sha : override.candidateSha);

/** The duration of a break-glass starts at its confirmation. */
const computeExpiry = (kind: OverrideKind, { expiresAt }: OverrideByKind[OverrideKind], now: Date): Date =>
  kind === 'waiver' ? expiresAt : new Date(now.getTime() + BREAK_GLASS_DURATION_MS);

function toAuditData({
  id,
  reason,
  requestedBy,
  confirmedBy,
  expiresAt,
  ...override
}: OverrideByKind[OverrideKind]): JsonObject {
  return {
    id,
    reason,
    requestedBy: { ...requestedBy },
    confirmedBy: confirmedBy && { ...confirmedBy },
    expiresAt: expiresAt.toISOString(),
    ...('sha' in override
      ? { sha: override.sha }
      : {
          condition: override.condition,
          details: [...override.details],
          subjects: override.subjects.map((subject) => ({ ...subject })),
          candidateSha: override.candidateSha,
        }),
  };
}
