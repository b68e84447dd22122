import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Member } from '../../auth/caller.js';
import { Clock } from '../../config/clock.js';
import { Database, type TenantTransaction, type Viewer } from '../../database/database.js';
import type { Condition, Subject } from '../../domain/facts/condition.js';
import { isConditionCode } from '../../domain/facts/condition-catalogue.js';
import type { Sha } from '../../domain/facts/facts.js';
import { validateWaivable } from '../../domain/override/applied-overrides.js';
import { BREAK_GLASS_DURATION_MS, type Waiver, WAIVER_MAX_DURATION_MS } from '../../domain/override/override.js';
import type { Verdict } from '../../domain/release/evaluate.js';
import type { Page, PageRequest } from '../../http/pagination/pagination.dto.js';
import { ReleasesQueries } from '../releases/records/releases.queries.js';
import type { ListedOverrideDto, OverrideState } from './overrides.dto.js';
import {
  candidateChanged,
  conditionNotUnmet,
  conditionNotWaivable,
  invalidExpiry,
  overrideLimitReached,
  unknownCondition,
} from './overrides.errors.js';
import { OverridesQueries } from './overrides.queries.js';
import { type OverrideByKind, type OverrideKind, OverridesRepository } from './overrides.repository.js';
import { type LockedRelease, TwoPersonApprovalService } from './two-person-approval.service.js';

/** The maximum number of active overrides of a release. */
const MAX_ACTIVE: Readonly<Record<OverrideKind, number>> = { waiver: 50, break_glass: 10 };

/** The condition code is as the admin sent it. */
type NewWaiver = Pick<Waiver, 'reason' | 'expiresAt'> & { readonly condition: string };

/**
 * Two admins agree to ignore one condition of a release for some days (a waiver), or to open the gate of one commit for some hours,
 * regardless of the unmet conditions (break-glass). A request has no effect before a second admin confirms it.
 */
@Injectable()
export class OverridesService {
  constructor(
    private readonly database: Database,
    private readonly releases: ReleasesQueries,
    private readonly queries: OverridesQueries,
    private readonly overrides: OverridesRepository,
    private readonly approvals: TwoPersonApprovalService,
    private readonly clock: Clock,
  ) {}

  /** Lists the overrides of all releases that the viewer can read. A null state means all states. */
  async listPage(viewer: Viewer, state: OverrideState | null, page: PageRequest): Promise<Page<ListedOverrideDto>> {
    return this.database.readOnlyAsViewer(viewer, (tx) => this.queries.listPage(tx, state, page, this.clock.now()));
  }

  /** Lists the active overrides of a release. */
  async list<K extends OverrideKind>(
    kind: K,
    { viewer }: Member,
    releaseId: string,
  ): Promise<readonly OverrideByKind[K][]> {
    await this.releases.assertReadable(viewer, releaseId);
    return this.database.asViewer(viewer, (tx) => this.overrides.list(tx, kind, releaseId, this.clock.now()));
  }

  /** Requests a waiver for the unmet conditions with this code at the current candidate. */
  async requestWaiver(
    member: Member,
    releaseId: string,
    { condition, reason, expiresAt }: NewWaiver,
  ): Promise<OverrideByKind['waiver']> {
    await this.releases.assertReadable(member.viewer, releaseId);
    const request = this.createRequest(member, reason);
    const durationMs = expiresAt.getTime() - request.requestedAt.getTime();
    if (!(durationMs > 0 && durationMs <= WAIVER_MAX_DURATION_MS)) throw invalidExpiry();
    if (!isConditionCode(condition)) throw unknownCondition();
    const reasonAgainst = validateWaivable(condition);
    if (reasonAgainst !== null) throw conditionNotWaivable(condition, reasonAgainst);
    return this.database.inTenant(member.orgId, async (tx) => {
      const locked = await this.approvals.lockRelease(tx, member, releaseId);
      const unmet = listUnmet(condition, locked.verdict);
      if (unmet.length === 0) throw conditionNotUnmet(condition);
      const waiver = {
        ...request,
        condition,
        subjects: mergeSubjects(unmet),
        details: [...new Set(unmet.map(({ detail }) => detail))],
        candidateSha: locked.candidateSha,
        expiresAt,
      };
      return this.save(tx, 'waiver', member, locked, waiver);
    });
  }

  async requestBreakGlass(
    member: Member,
    releaseId: string,
    { sha, reason }: { readonly sha: Sha; readonly reason: string },
  ): Promise<OverrideByKind['break_glass']> {
    await this.releases.assertReadable(member.viewer, releaseId);
    const request = this.createRequest(member, reason);
    const expiresAt = new Date(request.requestedAt.getTime() + BREAK_GLASS_DURATION_MS);
    return this.database.inTenant(member.orgId, async (tx) => {
      const locked = await this.approvals.lockRelease(tx, member, releaseId);
      if (!locked.verdict.candidateShas.includes(sha)) throw candidateChanged(locked.candidateSha);
      return this.save(tx, 'break_glass', member, locked, { ...request, sha, expiresAt });
    });
  }

  /**
   * Confirms the request with this id; without an id, the only pending one. Throws `conflict` if several are pending then, so that
   * an admin cannot confirm an unread request.
   */
  async confirm<K extends OverrideKind>(
    kind: K,
    member: Member,
    releaseId: string,
    id: string | null,
  ): Promise<OverrideByKind[K]> {
    await this.releases.assertReadable(member.viewer, releaseId);
    return this.database.inTenant(member.orgId, async (tx) => {
      const overrideId = id ?? (await this.approvals.findOnlyPending(tx, kind, member, releaseId));
      return this.approvals.confirm(tx, kind, member, { releaseId, overrideId });
    });
  }

  async withdraw(kind: OverrideKind, member: Member, releaseId: string, overrideId: string): Promise<void> {
    await this.releases.assertReadable(member.viewer, releaseId);
    await this.database.inTenant(member.orgId, (tx) =>
      this.approvals.withdraw(tx, kind, member, { releaseId, overrideId }),
    );
  }

  private createRequest({ user: { id, login } }: Member, reason: string) {
    return {
      id: randomUUID(),
      reason: reason.trim(),
      requestedAt: this.clock.now(),
      requestedBy: { id, login },
      confirmedBy: null,
      confirmedAt: null,
    };
  }

  private async save<K extends OverrideKind>(
    tx: TenantTransaction,
    kind: K,
    member: Member,
    evaluation: LockedRelease,
    override: OverrideByKind[K],
  ): Promise<OverrideByKind[K]> {
    const { id: releaseId } = evaluation.release;
    await this.overrides.create(tx, kind, { ...override, releaseId });
    if ((await this.overrides.list(tx, kind, releaseId, override.requestedAt)).length > MAX_ACTIVE[kind]) {
      throw overrideLimitReached(MAX_ACTIVE[kind]);
    }
    await this.approvals.recordAndNotify(tx, kind, 'requested', member, { evaluation, override });
    return override;
  }
}

/** Lists the unmet conditions with this code, in any stage or at the gate. */
const listUnmet = (condition: string, { unmet, unmetLater, gate }: Verdict): readonly Condition[] =>
  [...unmet, ...unmetLater, ...gate.reasons].filter(({ code }) => code === condition);

/** Returns each subject once. If conditions state different numbers of equal things, the greatest one was seen. */
function mergeSubjects(conditions: readonly Condition[]): readonly Subject[] {
  const merged = new Map<string, Subject>();
  for (const subject of conditions.flatMap(({ subjects = [] }) => subjects)) {
    const known = merged.get(subject.id);
    if (!known || (known.count ?? 1) < (subject.count ?? 1)) merged.set(subject.id, subject);
  }
  return [...merged.values()];
}
