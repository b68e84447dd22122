import { Injectable, Logger } from '@nestjs/common';
import type { MemberRole, User } from '../../../auth/user.js';
import { Database, type TenantTransaction } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { OrganizationMembership } from '../../../github/api/users.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import type { Observed } from '../../../github/transport/github-clock.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import { githubUnavailable } from '../../../http/errors/github-unavailable.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import { RETRY_AFTER_SECONDS } from '../accounts.errors.js';
import { MembersRepository } from './members.repository.js';
import { accountRoles, MembershipRefreshService } from './membership-refresh.service.js';
import { MembershipsQueries, type WorkspaceMembership } from './memberships.queries.js';
import { RepositoryAccessService } from './repository-access.service.js';

/** How long a sign-in waits for the repository access. The user's first request reads the missing values. */
const ACCESS_MS = 5_000;

export interface MembershipInvalidation {
  /** The users whose membership in the organization may have changed. */
  readonly membership: readonly number[];
  /** The users whose repository access may have changed. */
  readonly repositoryAccess: readonly number[] | 'everyone';
}

/** Updates memberships at a sign-in, and invalidates them when GitHub reports a change. */
@Injectable()
export class MembersService {
  private readonly logger = new Logger(MembersService.name);

  constructor(
    private readonly database: Database,
    private readonly memberships: MembershipsQueries,
    private readonly membershipRefresh: MembershipRefreshService,
    private readonly access: RepositoryAccessService,
    private readonly github: GitHubGateway,
    private readonly members: MembersRepository,
    private readonly audit: AuditLogService,
    private readonly jobs: JobsService,
  ) {}

  /**
   * Reconciles the user's memberships with GitHub, with a token of the user, and returns them. An owner of an organization
   * becomes an admin of its workspace. A user who left an organization is removed. Throws `unavailable` if GitHub does not
   * list the user's organizations.
   */
  async syncOnSignIn(user: User, token: string): Promise<readonly WorkspaceMembership[]> {
    const { value: organizations, observedAt } = await this.readMemberships(token);
    const roles = accountRoles(user.id, organizations);
    const listed = await this.memberships.findByOwners([...roles.keys()]);
    for (const [account, orgId] of listed) {
      const role = roles.get(account) ?? 'member';
      await this.database.inTenant(orgId, (tx) => this.confirmFromGitHub(tx, user, role, observedAt));
    }
    await this.verifyUnlisted(user.id, new Set(listed.values()));
    const memberships = await this.memberships.list(user.id);
    await this.refreshAccess(memberships, user.id, token);
    return memberships;
  }

  private async readMemberships(token: string): Promise<Observed<readonly OrganizationMembership[]>> {
    try {
      return await this.github.userAccess.memberships(token);
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      throw githubUnavailable(error, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
  }

  /** Verifies the other memberships with the installation, because an organization can hide itself from the user's token. */
  private async verifyUnlisted(userId: number, listed: ReadonlySet<OrgId>): Promise<void> {
    for (const { orgId } of await this.memberships.list(userId)) {
      if (!listed.has(orgId)) await this.attempt(this.membershipRefresh.verify(orgId, userId));
    }
  }

  private async refreshAccess(
    memberships: readonly WorkspaceMembership[],
    userId: number,
    token: string,
  ): Promise<void> {
    const signal = AbortSignal.timeout(ACCESS_MS);
    await Promise.all(
      memberships.map(({ orgId }) => this.attempt(this.access.refreshWithToken(token, orgId, userId, signal))),
    );
  }

  /** Ignores an error of GitHub, because the user's first request reads the missing values again. */
  private async attempt(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      this.logger.warn(`Memberships are incomplete after a sign-in: ${error.message}`);
    }
  }

  /**
   * Confirms a member of the workspace, and makes an owner of the organization an admin. Any other user of the organization
   * needs an invite.
   */
  async confirmFromGitHub(
    tx: TenantTransaction,
    user: User,
    organizationRole: MemberRole,
    observedAt: Date,
  ): Promise<void> {
    const actor = { type: 'person', id: user.id, login: user.login } as const;
    const data = { userId: user.id, reason: 'organization_owner' };
    const entry = { actor, subject: user.login, repositoryIds: [] };
    const owner = { userId: user.id, role: 'admin', joinedAt: observedAt } as const;
    if (organizationRole === 'admin' && (await this.members.create(tx, owner, observedAt))) {
      // The user may have left since GitHub was read. A notification about that found no member.
      await this.jobs.enqueue(tx, 'refresh-members', { orgId: tx.orgId });
      await this.audit.append(tx, { ...entry, action: 'member.joined', data: { ...data, role: 'admin' } });
      return;
    }
    await this.members.confirm(tx, [user.id], observedAt);
    if (organizationRole === 'admin' && (await this.members.promote(tx, user.id))) {
      const change = { ...data, from: 'member', to: 'admin' };
      await this.audit.append(tx, { ...entry, action: 'member.role_changed', data: change });
    }
  }

  /** Invalidates memberships until the next read from GitHub: by a job, or by the next request of the member. */
  async invalidate(orgId: OrgId, { membership, repositoryAccess }: MembershipInvalidation): Promise<void> {
    await this.database.inTenant(orgId, async (tx) => {
      await this.members.invalidateMembership(tx, membership);
      await this.members.invalidateAccess(tx, repositoryAccess === 'everyone' ? null : repositoryAccess);
      await this.jobs.enqueue(tx, 'refresh-members', { orgId: tx.orgId });
    });
  }
}
