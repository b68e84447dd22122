import { Injectable, Logger } from '@nestjs/common';
import { MembershipRefresher } from '../../../auth/caller.js';
import { isFresh } from '../../../auth/session/session-lifetime.js';
import type { Membership } from '../../../auth/user.js';
import { RecentFailures } from '../../../concurrency/recent-failures.js';
import { SingleFlight } from '../../../concurrency/single-flight.js';
import { Clock } from '../../../config/clock.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { OrganizationMembership } from '../../../github/api/users.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import type { Observed } from '../../../github/transport/github-clock.js';
import { GitHubError, stoppedWaiting } from '../../../github/transport/github-error.js';
import { WorkspacesQueries, type WorkspaceOrganization } from '../../../workspaces/workspaces.queries.js';
import { membershipUnconfirmed } from '../accounts.errors.js';
import { UserTokensService } from '../users/user-tokens.service.js';
import { UsersRepository } from '../users/users.repository.js';
import { MemberRemovalService } from './member-removal.service.js';
import { MembersRepository, type StoredMember } from './members.repository.js';
import { RepositoryAccessService } from './repository-access.service.js';

/**
 * Returns the user's role in each account by its GitHub id, from the list that GitHub gives the user. Includes the user's
 * own account: GitHub numbers users and organizations together, so its id belongs to no organization.
 */
export const accountRoles = (
  userId: number,
  memberships: readonly OrganizationMembership[],
): ReadonlyMap<number, OrganizationMembership['role']> =>
  new Map([[userId, 'admin'], ...memberships.map(({ organizationId, role }) => [organizationId, role] as const)]);

interface OrganizationUser {
  readonly id: number;
  /** The last known login. Null if the user never signed in. */
  readonly login: string | null;
}

export type MemberIdsLoader = () => Promise<Observed<ReadonlySet<number>>>;

type MembershipStatus = 'member' | 'gone' | 'unknown';

/** How long a request waits for GitHub. */
const TIMEOUT_MS = 3_000;

/**
 * Verifies with GitHub that users belong to their organizations, and removes those who left. Concurrent requests with the
 * same stale membership share one call.
 */
@Injectable()
export class MembershipRefreshService extends MembershipRefresher {
  private readonly logger = new Logger(MembershipRefreshService.name);
  private readonly confirmations = new SingleFlight<void>(stoppedWaiting);
  private readonly accesses = new SingleFlight<void>(stoppedWaiting);
  private readonly failedConfirmations: RecentFailures;
  private readonly failedAccessReads: RecentFailures;

  constructor(
    private readonly database: Database,
    private readonly members: MembersRepository,
    private readonly access: RepositoryAccessService,
    private readonly clock: Clock,
    private readonly workspaces: WorkspacesQueries,
    private readonly users: UsersRepository,
    private readonly removal: MemberRemovalService,
    private readonly tokens: UserTokensService,
    private readonly github: GitHubGateway,
  ) {
    super();
    this.failedConfirmations = new RecentFailures(clock);
    this.failedAccessReads = new RecentFailures(clock);
  }

  override async refresh(
    userId: number,
    { orgId, confirmedAt, accessObservedAt }: Membership,
  ): Promise<Membership | null> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const key = `${orgId}:${userId}`;
    // Rejected requests count against no other limit, and each would use the GitHub rate limit of the whole installation.
    const confirms = this.isStale(confirmedAt) && !this.failedConfirmations.has(key);
    await Promise.all([
      confirms && this.confirm(orgId, userId, signal),
      this.isStale(accessObservedAt) && this.refreshAccess(orgId, userId, signal),
    ]);
    const member = await this.find(orgId, userId);
    if (member && this.isStale(member.confirmedAt)) {
      if (confirms) this.failedConfirmations.add(key);
      throw membershipUnconfirmed();
    }
    return member;
  }

  /** Reads the member again first, because another request may have confirmed the membership meanwhile. */
  private async confirm(orgId: OrgId, userId: number, signal: AbortSignal): Promise<void> {
    const confirm = async (): Promise<void> => {
      const member = await this.find(orgId, userId);
      if (member && this.isStale(member.confirmedAt)) await this.verify(orgId, userId);
    };
    await this.attempt(this.confirmations.run(`${orgId}:${userId}`, confirm, signal));
  }

  /** Does not retry soon after a failure, because the user can continue without private repositories. */
  private async refreshAccess(orgId: OrgId, userId: number, signal: AbortSignal): Promise<void> {
    const key = `${orgId}:${userId}`;
    if (this.failedAccessReads.has(key)) return;
    const refresh = async (): Promise<void> => {
      const member = await this.find(orgId, userId);
      if (member && this.isStale(member.accessObservedAt)) await this.access.refresh(orgId, userId);
    };
    if (!(await this.attempt(this.accesses.run(key, refresh, signal)))) this.failedAccessReads.add(key);
  }

  /** Returns false after an error of GitHub. The stored values then stay stale. */
  private async attempt(work: Promise<void>): Promise<boolean> {
    try {
      await work;
      return true;
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      this.logger.warn(`Membership refresh failed: ${error.message}`);
      return false;
    }
  }

  private async find(orgId: OrgId, userId: number): Promise<StoredMember | null> {
    return this.database.inTenant(orgId, (tx) => this.members.find(tx, userId));
  }

  private isStale(at: Date | null): boolean {
    return !isFresh(at, this.clock.now());
  }

  /**
   * Confirms the member, or removes a member who left. Changes nothing if GitHub gives no definite response. A caller that
   * verifies several users passes `memberIds`, so that the list of all members is read once.
   */
  async verify(orgId: OrgId, userId: number, memberIds?: MemberIdsLoader): Promise<void> {
    const workspace = await this.database.inTenant(orgId, (tx) => this.workspaces.find(tx));
    if (!workspace) return;
    const known = (await this.users.list([userId])).get(userId);
    const user = { id: userId, login: known?.login ?? null };
    const { value: status, observedAt } = await this.readStatus(workspace, user, memberIds);
    if (status === 'unknown') return;
    await this.database.inTenant(orgId, async (tx) => {
      if (status === 'member') await this.members.confirm(tx, [userId], observedAt);
      else if (await this.members.lockUnconfirmed(tx, userId, observedAt)) {
        await this.removal.remove(tx, userId, {
          login: user.login ?? String(userId),
          actor: { type: 'service' },
          reason: 'left_organization',
        });
      }
    });
  }

  private async readStatus(
    { githubId, installationId }: WorkspaceOrganization,
    user: OrganizationUser,
    memberIds?: MemberIdsLoader,
  ): Promise<Observed<MembershipStatus>> {
    if (installationId === null) return this.readStatusAsUser(githubId, user);
    try {
      const ref = { id: githubId, installationId };
      const { value: isMember, observedAt } = await this.github.organizations.hasMember(
        ref,
        user,
        memberIds && { memberIds },
      );
      return { value: isMember ? 'member' : 'gone', observedAt };
    } catch (error) {
      if (GitHubError.is(error, 'forbidden', 'unauthorized')) return this.readStatusAsUser(githubId, user);
      throw error;
    }
  }

  /**
   * Reads the status with the user's token if the installation may not. The user belongs to an organization that GitHub lists. An
   * organization that it does not list may be hidden from the app, so the status is unknown.
   */
  private async readStatusAsUser(githubId: number, { id }: OrganizationUser): Promise<Observed<MembershipStatus>> {
    const token = await this.tokens.findAccessToken(id);
    if (token === null) throw new GitHubError('unauthorized', `no token of user ${id} is stored`);
    const { value: memberships, observedAt } = await this.github.userAccess.memberships(token);
    return { value: accountRoles(id, memberships).has(githubId) ? 'member' : 'unknown', observedAt };
  }
}
