import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Member } from '../../auth/caller.js';
import { Clock } from '../../config/clock.js';
import { Database } from '../../database/database.js';
import type { Condition, Subject } from '../../domain/facts/condition.js';
import { isConditionCode } from '../../domain/facts/condition-catalogue.js';
import { validateWaivable } from '../../domain/override/applied-overrides.js';
import { type Waiver, WAIVER_MAX_DURATION_MS } from '../../domain/override/override.js';
import type { Verdict } from '../../domain/release/evaluate.js';
import { ReleasesQueries } from '../releases/records/releases.queries.js';
import { OverridesRepository, type StoredWaiver } from './overrides.repository.js';
import {
  invalidExpiry,
  conditionNotUnmet,
  conditionNotWaivable,
  overrideLimitReached,
  unknownCondition,
} from './overrides.errors.js';
import { TwoPersonApprovalService } from './two-person-approval.service.js';

/** The maximum number of active waivers of a release. */
const MAX_WAIVERS = 50;

/** The condition code is as the admin sent it. */
type NewWaiver = Pick<Waiver, 'reason' | 'expiresAt'> & { readonly condition: string };

/** Requests, confirms and withdraws waivers: two admins agree to ignore one condition of a release for some days. */
@Injectable()
export class WaiversService {
  constructor(
    private readonly database: Database,
    private readonly releases: ReleasesQueries,
    private readonly overrides: OverridesRepository,
    private readonly approvals: TwoPersonApprovalService,
    private readonly clock: Clock,
  ) {}

  async list({ viewer }: Member, releaseId: string): Promise<readonly StoredWaiver[]> {
    await this.releases.assertReadable(viewer, releaseId);
    return this.database.asViewer(viewer, (tx) => this.overrides.list(tx, 'waiver', releaseId, this.clock.now()));
  }

  /**
   * Requests a waiver for the unmet conditions with this code at the current candidate. The request has no effect before a second
   * admin confirms it.
   */
  async request(member: Member, releaseId: string, { condition, reason, expiresAt }: NewWaiver): Promise<StoredWaiver> {
    await this.releases.assertReadable(member.viewer, releaseId);
    const requestedAt = this.clock.now();
    const durationMs = expiresAt.getTime() - requestedAt.getTime();
    if (!(durationMs > 0 && durationMs <= WAIVER_MAX_DURATION_MS)) throw invalidExpiry();
    if (!isConditionCode(condition)) throw unknownCondition();
    const reasonAgainst = validateWaivable(condition);
    if (reasonAgainst !== null) throw conditionNotWaivable(condition, reasonAgainst);
    const { id, login } = member.user;
    return this.database.inTenant(member.orgId, async (tx) => {
      const locked = await this.approvals.lockRelease(tx, member, releaseId);
      const unmet = listUnmet(condition, locked.verdict);
      if (unmet.length === 0) throw conditionNotUnmet(condition);
      const waiver = {
        id: randomUUID(),
        condition,
        subjects: mergeSubjects(unmet),
        details: [...new Set(unmet.map(({ detail }) => detail))],
        candidateSha: locked.candidateSha,
        reason: reason.trim(),
        requestedAt,
        requestedBy: { id, login },
        confirmedBy: null,
        confirmedAt: null,
        expiresAt,
      };
      await this.overrides.create(tx, 'waiver', { ...waiver, releaseId });
      if ((await this.overrides.list(tx, 'waiver', releaseId, requestedAt)).length > MAX_WAIVERS) {
        throw overrideLimitReached(MAX_WAIVERS);
      }
      await this.approvals.recordAndNotify(tx, 'waiver', 'requested', member, { evaluation: locked, override: waiver });
      return waiver;
    });
  }

  async confirm(member: Member, releaseId: string, overrideId: string): Promise<StoredWaiver> {
    await this.releases.assertReadable(member.viewer, releaseId);
    return this.database.inTenant(member.orgId, (tx) =>
      this.approvals.confirm(tx, 'waiver', member, { releaseId, overrideId }),
    );
  }

  async withdraw(member: Member, releaseId: string, overrideId: string): Promise<void> {
    await this.releases.assertReadable(member.viewer, releaseId);
    await this.database.inTenant(member.orgId, (tx) =>
      this.approvals.withdraw(tx, 'waiver', member, { releaseId, overrideId }),
    );
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
