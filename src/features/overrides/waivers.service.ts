import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Member } from '../../auth/caller.js';
import { Clock } from '../../config/clock.js';
import { Database } from '../../database/database.js';
import { OVERRIDE_RULES, validateWaivable } from '../../domain/override/applied-overrides.js';
import { type Waiver, WAIVER_MAX_DURATION_MS } from '../../domain/override/override.js';
import type { Verdict } from '../../domain/release/evaluate.js';
import { ReleasesQueries } from '../releases/records/releases.queries.js';
import { type OverrideByKind, OverridesRepository } from './overrides.repository.js';
import {
  invalidExpiry,
  conditionNotUnmet,
  conditionNotWaivable,
  overrideLimitReached,
  TwoPersonApprovalService,
  unknownCondition,
} from './two-person-approval.service.js';

/** The maximum number of active waivers of a release. */
const MAX_WAIVERS = 50;

type NewWaiver = Pick<Waiver, 'condition' | 'reason' | 'expiresAt'>;

type StoredWaiver = OverrideByKind['waiver'];

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
    if (!OVERRIDE_RULES.has(condition)) throw unknownCondition();
    const reasonAgainst = validateWaivable(condition);
    if (reasonAgainst !== null) throw conditionNotWaivable(condition, reasonAgainst);
    const { id, login } = member.user;
    return this.database.inTenant(member.orgId, async (tx) => {
      const locked = await this.approvals.lockRelease(tx, member, releaseId);
      const details = listUnmetDetails(condition, locked.verdict);
      if (details.length === 0) throw conditionNotUnmet(condition);
      const waiver = {
        id: randomUUID(),
        condition,
        details,
        candidateSha: locked.candidateSha,
        reason: reason.trim(),
        requestedAt,
        requestedBy: { id, login },
        confirmedBy: null,
        confirmedAt: null,
        expiresAt,
      };
      await this.overrides.createWaiver(tx, { ...waiver, releaseId });
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

/** Lists the details of the unmet conditions with this code, in any stage or at the gate. */
function listUnmetDetails(condition: string, { unmet, unmetLater, gate }: Verdict): readonly string[] {
  const details = [...unmet, ...unmetLater, ...gate.reasons]
    .filter(({ code }) => code === condition)
    .map(({ detail }) => detail);
  return [...new Set(details)];
}
