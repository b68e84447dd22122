import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Member } from '../../auth/caller.js';
import { Clock } from '../../config/clock.js';
import { Database } from '../../database/database.js';
import { OVERRIDE_RULES, waiverRefusal } from '../../domain/override/applied-overrides.js';
import { WAIVER_MAX_DURATION_MS, type Waiver } from '../../domain/override/override.js';
import type { Verdict } from '../../domain/release/evaluate.js';
import { ReleasesQueries } from '../releases/records/releases.queries.js';
import { OverridesRepository } from './overrides.repository.js';
import {
  invalidExpiry,
  conditionNotUnmet,
  conditionNotWaivable,
  overrideLimitReached,
  TwoPersonApprovalService,
  unknownCondition,
} from './two-person-approval.service.js';

/** How many waivers of a release may stand at a time. */
const MAX_WAIVERS = 50;

export interface NewWaiver {
  readonly condition: string;
  readonly reason: string;
  readonly expiresAt: Date;
}

/** Conditions of releases that two admins agree to do without for some days. */
@Injectable()
export class WaiversService {
  constructor(
    private readonly database: Database,
    private readonly releases: ReleasesQueries,
    private readonly acts: OverridesRepository,
    private readonly twoPeople: TwoPersonApprovalService,
    private readonly clock: Clock,
  ) {}

  async list({ viewer }: Member, releaseId: string): Promise<readonly Waiver[]> {
    await this.releases.assertReadable(viewer, releaseId);
    return this.database.asViewer(viewer, (tx) => this.acts.list(tx, 'waiver', releaseId, this.clock.now()));
  }

  /** Asks for one: of all that is unmet under the code now, at the candidate of now. It changes nothing by itself. */
  async request(member: Member, releaseId: string, { condition, reason, expiresAt }: NewWaiver): Promise<Waiver> {
    await this.releases.assertReadable(member.viewer, releaseId);
    const requestedAt = this.clock.now();
    const life = expiresAt.getTime() - requestedAt.getTime();
    if (!(life > 0 && life <= WAIVER_MAX_DURATION_MS)) throw invalidExpiry();
    if (!OVERRIDE_RULES.has(condition)) throw unknownCondition();
    const why = waiverRefusal(condition);
    if (why !== null) throw conditionNotWaivable(condition, why);
    const { id, login } = member.person;
    return this.database.inTenant(member.orgId, async (tx) => {
      const held = await this.twoPeople.lockRelease(tx, member, releaseId);
      const details = unmetUnder(condition, held.verdict);
      if (details.length === 0) throw conditionNotUnmet(condition);
      const waiver = {
        id: randomUUID(),
        condition,
        details,
        candidateSha: held.candidateSha,
        reason: reason.trim(),
        requestedBy: { id, login },
        confirmedBy: null,
        confirmedAt: null,
        expiresAt,
      };
      await this.acts.addWaiver(tx, { ...waiver, releaseId, requestedAt });
      if ((await this.acts.list(tx, 'waiver', releaseId, requestedAt)).length > MAX_WAIVERS) {
        throw overrideLimitReached(MAX_WAIVERS);
      }
      await this.twoPeople.recordAndNotify(tx, 'waiver', 'requested', member, { judgement: held, act: waiver });
      return waiver;
    });
  }

  async confirm(member: Member, releaseId: string, actId: string): Promise<Waiver> {
    await this.releases.assertReadable(member.viewer, releaseId);
    return this.database.inTenant(member.orgId, (tx) =>
      this.twoPeople.confirm(tx, 'waiver', member, { releaseId, actId }),
    );
  }

  async withdraw(member: Member, releaseId: string, actId: string): Promise<void> {
    await this.releases.assertReadable(member.viewer, releaseId);
    await this.database.inTenant(member.orgId, (tx) =>
      this.twoPeople.withdraw(tx, 'waiver', member, { releaseId, actId }),
    );
  }
}

/** In whichever stage, or at the gate. */
function unmetUnder(condition: string, { unmet, unmetLater, gate }: Verdict): readonly string[] {
  const details = [...unmet, ...unmetLater, ...gate.reasons]
    .filter(({ code }) => code === condition)
    .map(({ detail }) => detail);
  return [...new Set(details)];
}
