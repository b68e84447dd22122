import { Injectable, Logger } from '@nestjs/common';
import type { Person } from '../../../auth/user.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { OrganizationMembership } from '../../../github/api/user-access.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import type { Observed } from '../../../github/transport/observed.js';
import { DomainError } from '../../../http/errors/domain-error.js';
import { accountRoles } from './account-roles.js';
import { MemberEntry } from './member-entry.recorder.js';
import { MembershipConfirmation } from './membership-confirmation.service.js';
import { RepositoryAccess } from './repository-access.service.js';
import { StandingsReader } from './standings.reader.js';
import type { WorkspaceStanding } from './workspace-standing.js';

/** How long somebody who signs in waits for what they may read; what is not known by then is asked for later. */
const ACCESS_MS = 5_000;
const RETRY_AFTER_SECONDS = 30;

/** Who belongs to which workspace when they sign in. */
@Injectable()
export class Members {
  private readonly logger = new Logger(Members.name);

  constructor(
    private readonly database: Database,
    private readonly standings: StandingsReader,
    private readonly entry: MemberEntry,
    private readonly confirmation: MembershipConfirmation,
    private readonly access: RepositoryAccess,
    private readonly github: GitHubGateway,
  ) {}

  /**
   * Brings the person's memberships in line with what the host says now, by a token of theirs, and answers those that
   * they have then. Owners of an organization become admins of its workspace; who left one is its member no more.
   * Rejects with `unavailable` where the host does not say to which organizations the person belongs.
   */
  async arrive(person: Person, token: string): Promise<readonly WorkspaceStanding[]> {
    const { value: memberships, observedAt } = await this.membershipsOf(token);
    const roles = accountRoles(person.id, memberships);
    const named = await this.standings.findByOwners([...roles.keys()]);
    for (const [account, orgId] of named) {
      const role = roles.get(account) ?? 'member';
      await this.database.inTenant(orgId, (tx) => this.entry.record(tx, person, role, observedAt));
    }
    await this.confirmUnnamed(person.id, new Set(named.values()));
    const standings = await this.standings.list(person.id);
    await this.renewAccess(standings, person.id, token);
    return standings;
  }

  private async membershipsOf(token: string): Promise<Observed<readonly OrganizationMembership[]>> {
    try {
      return await this.github.userAccess.memberships(token);
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      throw new DomainError('unavailable', 'The code host does not say now to which organizations you belong.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
        cause: error,
      });
    }
  }

  /** An organization that is not named to the person may only be hidden from the app: its installation is asked. */
  private async confirmUnnamed(person: number, named: ReadonlySet<OrgId>): Promise<void> {
    for (const { orgId } of await this.standings.list(person)) {
      if (!named.has(orgId)) await this.attempt(this.confirmation.confirm(orgId, person));
    }
  }

  private async renewAccess(standings: readonly WorkspaceStanding[], person: number, token: string): Promise<void> {
    const signal = AbortSignal.timeout(ACCESS_MS);
    await Promise.all(standings.map(({ orgId }) => this.attempt(this.access.renewWith(token, orgId, person, signal))));
  }

  /** What the host does not say now is asked again with the person's first request. */
  private async attempt(question: Promise<void>): Promise<void> {
    try {
      await question;
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      this.logger.warn(`Not all is known of a person who signs in: ${error.message}`);
    }
  }
}
