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
import { AuditRepository } from '../../audit/audit.repository.js';
import { MembersRepository, type NewMember } from './members.repository.js';
import { accountRoles, MembershipRefreshService } from './membership-refresh.service.js';
import { MembershipsQueries, type WorkspaceMembership } from './memberships.queries.js';
import { RepositoryAccessService } from './repository-access.service.js';

/** How long somebody who signs in waits for what they may read; what is not known by then is asked for later. */
const ACCESS_MS = 5_000;
const RETRY_AFTER_SECONDS = 30;

export interface MembershipInvalidation {
  /** Of whom it is in doubt that they belong to the organization. */
  readonly belonging: readonly number[];
  /** Of whom it is in doubt what they may read. */
  readonly reading: readonly number[] | 'everyone';
}

/** Who belongs to which workspace when they sign in. Writes down what the host says of a person who signs in. Takes note that something may have changed about members. */
@Injectable()
export class MembersService {
  private readonly logger = new Logger(MembersService.name);

  constructor(
    private readonly database: Database,
    private readonly standings: MembershipsQueries,
    private readonly confirmation: MembershipRefreshService,
    private readonly access: RepositoryAccessService,
    private readonly github: GitHubGateway,
    private readonly members: MembersRepository,
    private readonly audit: AuditRepository,
    private readonly jobs: JobsService,
  ) {}

  /**
   * Brings the person's memberships in line with what the host says now, by a token of theirs, and answers those that
   * they have then. Owners of an organization become admins of its workspace; who left one is its member no more.
   * Rejects with `unavailable` where the host does not say to which organizations the person belongs.
   */
  async syncOnSignIn(user: User, token: string): Promise<readonly WorkspaceMembership[]> {
    const { value: memberships, observedAt } = await this.membershipsOf(token);
    const roles = accountRoles(user.id, memberships);
    const named = await this.standings.findByOwners([...roles.keys()]);
    for (const [account, orgId] of named) {
      const role = roles.get(account) ?? 'member';
      await this.database.inTenant(orgId, (tx) => this.confirmFromGitHub(tx, user, role, observedAt));
    }
    await this.confirmUnnamed(user.id, new Set(named.values()));
    const standings = await this.standings.list(user.id);
    await this.renewAccess(standings, user.id, token);
    return standings;
  }

  private async membershipsOf(token: string): Promise<Observed<readonly OrganizationMembership[]>> {
    try {
      return await this.github.userAccess.memberships(token);
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      throw githubUnavailable(error, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
  }

  /** An organization that is not named to the person may only be hidden from the app: its installation is asked. */
  private async confirmUnnamed(userId: number, named: ReadonlySet<OrgId>): Promise<void> {
    for (const { orgId } of await this.standings.list(userId)) {
      if (!named.has(orgId)) await this.attempt(this.confirmation.verify(orgId, userId));
    }
  }

  private async renewAccess(standings: readonly WorkspaceMembership[], userId: number, token: string): Promise<void> {
    const signal = AbortSignal.timeout(ACCESS_MS);
    await Promise.all(standings.map(({ orgId }) => this.attempt(this.access.renewWith(token, orgId, userId, signal))));
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

  /** Makes somebody a member whom the host named as one of the organization at that moment; false where they are one. */
  add(tx: TenantTransaction, member: NewMember, confirmedAt: Date): Promise<boolean> {
    return this.members.create(tx, member, confirmedAt);
  }

  /**
   * Confirms the person if they are a member of the workspace, and makes an owner of its organization an admin. Whoever
   * else belongs to the organization is let in by an invite, not by this.
   */
  async confirmFromGitHub(tx: TenantTransaction, user: User, roleOnHost: MemberRole, observedAt: Date): Promise<void> {
    const actor = { type: 'person', id: user.id, login: user.login } as const;
    const data = { userId: user.id, reason: 'organization_owner' };
    const told = { actor, subject: user.login, repositoryIds: [] };
    const owner = { userId: user.id, role: 'admin', joinedAt: observedAt } as const;
    if (roleOnHost === 'admin' && (await this.members.create(tx, owner, observedAt))) {
      // They may have left between the host's word and this row: nothing that was told of it would find them again.
      await this.jobs.enqueue(tx, 'refresh-members', { orgId: tx.orgId });
      await this.audit.append(tx, { ...told, action: 'member.joined', data: { ...data, role: 'admin' } });
      return;
    }
    await this.members.confirm(tx, [user.id], observedAt);
    if (roleOnHost === 'admin' && (await this.members.promote(tx, user.id))) {
      const change = { ...data, from: 'member', to: 'admin' };
      await this.audit.append(tx, { ...told, action: 'member.role_changed', data: change });
    }
  }

  /**
   * What was known of them counts no more until the host was asked again: by the job that is added, or by their next
   * request if that comes first.
   */
  async invalidate(orgId: OrgId, { belonging, reading }: MembershipInvalidation): Promise<void> {
    await this.database.inTenant(orgId, async (tx) => {
      await this.members.invalidateMembership(tx, belonging);
      await this.members.invalidateAccess(tx, reading === 'everyone' ? null : reading);
      await this.jobs.enqueue(tx, 'refresh-members', { orgId: tx.orgId });
    });
  }
}
