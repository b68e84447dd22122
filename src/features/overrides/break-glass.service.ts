import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Member } from '../../auth/caller.js';
import { Clock } from '../../config/clock.js';
import { Database } from '../../database/database.js';
import type { Sha } from '../../domain/facts/facts.js';
import { BREAK_GLASS_DURATION_MS, type BreakGlass } from '../../domain/override/override.js';
import { ReleasesQueries } from '../releases/records/releases.queries.js';
import { OverridesRepository } from './overrides.repository.js';
import { candidateChanged, overrideLimitReached, TwoPersonApprovalService } from './two-person-approval.service.js';

/** How many requests of a release may stand at a time. */
const MAX_REQUESTS = 10;

/** Which request is meant: by its id, or null for the only one that waits. */
export type RequestName = string | null;

/** The gate of one commit that two admins open for some hours, whatever is unmet. */
@Injectable()
export class BreakGlassService {
  constructor(
    private readonly database: Database,
    private readonly releases: ReleasesQueries,
    private readonly acts: OverridesRepository,
    private readonly twoPeople: TwoPersonApprovalService,
    private readonly clock: Clock,
  ) {}

  async list({ viewer }: Member, releaseId: string): Promise<readonly BreakGlass[]> {
    await this.releases.assertReadable(viewer, releaseId);
    return this.database.asViewer(viewer, (tx) => this.acts.list(tx, 'break_glass', releaseId, this.clock.now()));
  }

  /** Asks for it. It changes nothing by itself. */
  async request(
    member: Member,
    releaseId: string,
    { sha, reason }: { readonly sha: Sha; readonly reason: string },
  ): Promise<BreakGlass> {
    await this.releases.assertReadable(member.viewer, releaseId);
    const requestedAt = this.clock.now();
    const { id, login } = member.person;
    return this.database.inTenant(member.orgId, async (tx) => {
      const held = await this.twoPeople.lockRelease(tx, member, releaseId);
      if (!held.verdict.candidateShas.includes(sha)) throw candidateChanged(held.candidateSha);
      const act = {
        id: randomUUID(),
        sha,
        reason: reason.trim(),
        requestedBy: { id, login },
        confirmedBy: null,
        confirmedAt: null,
        expiresAt: new Date(requestedAt.getTime() + BREAK_GLASS_DURATION_MS),
      };
      await this.acts.addBreakGlass(tx, { ...act, releaseId, requestedAt });
      if ((await this.acts.list(tx, 'break_glass', releaseId, requestedAt)).length > MAX_REQUESTS) {
        throw overrideLimitReached(MAX_REQUESTS);
      }
      await this.twoPeople.recordAndNotify(tx, 'break_glass', 'requested', member, { judgement: held, act });
      return act;
    });
  }

  /** Throws `conflict` where none is named and several wait: nobody is to confirm what they did not look at. */
  async confirm(member: Member, releaseId: string, name: RequestName): Promise<BreakGlass> {
    await this.releases.assertReadable(member.viewer, releaseId);
    return this.database.inTenant(member.orgId, async (tx) => {
      const actId = name ?? (await this.twoPeople.findOnlyPending(tx, 'break_glass', member, releaseId));
      return this.twoPeople.confirm(tx, 'break_glass', member, { releaseId, actId });
    });
  }

  async withdraw(member: Member, releaseId: string, actId: string): Promise<void> {
    await this.releases.assertReadable(member.viewer, releaseId);
    await this.database.inTenant(member.orgId, (tx) =>
      this.twoPeople.withdraw(tx, 'break_glass', member, { releaseId, actId }),
    );
  }
}
