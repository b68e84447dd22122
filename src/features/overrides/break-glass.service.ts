import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Member } from '../../auth/caller.js';
import { Clock } from '../../config/clock.js';
import { Database } from '../../database/database.js';
import type { Sha } from '../../domain/facts/facts.js';
import { BREAK_GLASS_DURATION_MS } from '../../domain/override/override.js';
import { ReleasesQueries } from '../releases/records/releases.queries.js';
import { type OverrideByKind, OverridesRepository } from './overrides.repository.js';
import { candidateChanged, overrideLimitReached } from './overrides.errors.js';
import { TwoPersonApprovalService } from './two-person-approval.service.js';

/** The maximum number of active requests of a release. */
const MAX_REQUESTS = 10;

/** The id of a request, or null for the only pending one. */
export type RequestName = string | null;

type StoredBreakGlass = OverrideByKind['break_glass'];

/**
 * Requests, confirms and withdraws break-glass: two admins open the gate of one commit for some hours, regardless of the unmet
 * conditions.
 */
@Injectable()
export class BreakGlassService {
  constructor(
    private readonly database: Database,
    private readonly releases: ReleasesQueries,
    private readonly overrides: OverridesRepository,
    private readonly approvals: TwoPersonApprovalService,
    private readonly clock: Clock,
  ) {}

  async list({ viewer }: Member, releaseId: string): Promise<readonly StoredBreakGlass[]> {
    await this.releases.assertReadable(viewer, releaseId);
    return this.database.asViewer(viewer, (tx) => this.overrides.list(tx, 'break_glass', releaseId, this.clock.now()));
  }

  /** Requests break-glass. The request has no effect before a second admin confirms it. */
  async request(
    member: Member,
    releaseId: string,
    { sha, reason }: { readonly sha: Sha; readonly reason: string },
  ): Promise<StoredBreakGlass> {
    await this.releases.assertReadable(member.viewer, releaseId);
    const requestedAt = this.clock.now();
    const { id, login } = member.user;
    return this.database.inTenant(member.orgId, async (tx) => {
      const locked = await this.approvals.lockRelease(tx, member, releaseId);
      if (!locked.verdict.candidateShas.includes(sha)) throw candidateChanged(locked.candidateSha);
      const override = {
        id: randomUUID(),
        sha,
        reason: reason.trim(),
        requestedAt,
        requestedBy: { id, login },
        confirmedBy: null,
        confirmedAt: null,
        expiresAt: new Date(requestedAt.getTime() + BREAK_GLASS_DURATION_MS),
      };
      await this.overrides.create(tx, 'break_glass', { ...override, releaseId });
      if ((await this.overrides.list(tx, 'break_glass', releaseId, requestedAt)).length > MAX_REQUESTS) {
        throw overrideLimitReached(MAX_REQUESTS);
      }
      await this.approvals.recordAndNotify(tx, 'break_glass', 'requested', member, {
        evaluation: locked,
        override,
      });
      return override;
    });
  }

  /** Throws `conflict` if no id is given and several requests are pending, so that an admin cannot confirm an unread request. */
  async confirm(member: Member, releaseId: string, name: RequestName): Promise<StoredBreakGlass> {
    await this.releases.assertReadable(member.viewer, releaseId);
    return this.database.inTenant(member.orgId, async (tx) => {
      const overrideId = name ?? (await this.approvals.findOnlyPending(tx, 'break_glass', member, releaseId));
      return this.approvals.confirm(tx, 'break_glass', member, { releaseId, overrideId });
    });
  }

  async withdraw(member: Member, releaseId: string, overrideId: string): Promise<void> {
    await this.releases.assertReadable(member.viewer, releaseId);
    await this.database.inTenant(member.orgId, (tx) =>
      this.approvals.withdraw(tx, 'break_glass', member, { releaseId, overrideId }),
    );
  }
}
