import { Inject, Injectable } from '@nestjs/common';
import { SessionsRepository } from '../../auth/session/sessions.repository.js';
import type { User } from '../../auth/user.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { Database, type TenantTransaction } from '../../database/database.js';
import type { Installation } from '../../github/api/installations.js';
import type { OrganizationMembership } from '../../github/api/users.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import { GitHubError } from '../../github/transport/github-error.js';
import { RateLimitLeases } from '../../http/rate-limit/rate-limit-leases.js';
import type { RateLimitPolicy } from '../../http/rate-limit/rate-limits.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { MembersService } from '../accounts/members/members.service.js';
import { SessionsService } from '../accounts/sign-in/sessions.service.js';
import { UserTokensService } from '../accounts/users/user-tokens.service.js';
import { AuditLogService } from '../audit/audit-log.service.js';
import { InstallationSyncService } from '../sync/installation-sync.service.js';
import {
  installationNotFound,
  installedInUserAccount,
  notOrganizationOwner,
  ownsNoOrganization,
  setupNeedsGitHub,
  tooManyInstallationRequests,
} from './setup.errors.js';

/** Enough to install the app, and few of the requests that GitHub allows the app for all organizations. */
const POLICY: RateLimitPolicy = { name: 'installation-look-ups', limit: 6, windowSeconds: 60 };

/**
 * Connects an organization after its owner installed the app. The caller controls the installation id, so it counts only if
 * GitHub confirms the installation and that the user owns its organization. The requests of a user are limited, because each
 * one reads the installation from GitHub.
 */
@Injectable()
export class InstallationService {
  constructor(
    private readonly database: Database,
    private readonly sessionRecords: SessionsRepository,
    private readonly sessions: SessionsService,
    private readonly tokens: UserTokensService,
    private readonly github: GitHubGateway,
    private readonly installations: InstallationSyncService,
    private readonly jobs: JobsService,
    private readonly members: MembersService,
    private readonly leases: RateLimitLeases,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly audit: AuditLogService,
  ) {}

  /**
   * `connected`: the user is an admin of the workspace, and the session has selected it. `sign_in`: the user must sign in
   * first. Throws `not_found` if none of the user's organizations has the installation, `forbidden` if the user owns no
   * organization or not this one, and `rate_limited` after too many requests.
   */
  async connect(session: Buffer | null, installationId: number): Promise<'connected' | 'sign_in'> {
    const user = session && (await this.sessionRecords.find(session))?.user;
    if (!session || !user) return 'sign_in';
    try {
      const token = await this.tokens.findAccessToken(user.id);
      const memberships = token === null ? null : await this.findMemberships(token);
      if (token === null || memberships === null) return 'sign_in';
      const installation = await this.findOwned(user, memberships, installationId);
      await this.connectWorkspace(session, user, token, installation);
      return 'connected';
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      throw setupNeedsGitHub(error);
    }
  }

  /** Returns null if GitHub rejects the token, because the user may have revoked it. */
  private async findMemberships(token: string): Promise<readonly OrganizationMembership[] | null> {
    try {
      return (await this.github.userAccess.memberships(token)).value;
    } catch (error) {
      if (GitHubError.is(error, 'unauthorized')) return null;
      throw error;
    }
  }

  private async findOwned(
    user: User,
    memberships: readonly OrganizationMembership[],
    installationId: number,
  ): Promise<Installation> {
    // A user who owns no organization can connect none, so the installation need not be read.
    if (!memberships.some(({ role }) => role === 'admin')) throw ownsNoOrganization();
    await this.countRequest(user.id);
    const { value: installation } = await this.github.installations.find(installationId);
    if (installation?.accountType === 'User' && installation.accountId === user.id) throw installedInUserAccount();
    if (installation?.accountType !== 'Organization') throw installationNotFound();
    const membership = memberships.find(({ organizationId }) => organizationId === installation.accountId);
    if (!membership) throw installationNotFound();
    if (membership.role !== 'admin') throw notOrganizationOwner(installation.accountLogin);
    return installation;
  }

  private async connectWorkspace(
    session: Buffer,
    user: User,
    token: string,
    installation: Installation,
  ): Promise<void> {
    const orgId = await this.installations.findOrCreateWorkspace(installation);
    await this.jobs.enqueueGlobal('sync-installation', { installationId: installation.id });
    const memberships = await this.members.syncOnSignIn(user, token);
    const membership = memberships.find((one) => one.orgId === orgId);
    // The user may have lost the ownership between the two reads.
    if (membership?.role !== 'admin') throw notOrganizationOwner(installation.accountLogin);
    await this.database.inTenant(orgId, (tx) => this.appendAuditEntry(tx, user, installation));
    await this.sessions.selectWorkspaceById(session, user, orgId);
  }

  /** Counts a request of the user. Throws `rate_limited` after too many. */
  private async countRequest(userId: number): Promise<void> {
    if (!this.environment.rateLimits) return;
    const { allowed, resetsInSeconds } = await this.leases.consume(POLICY, `person:${userId}`);
    if (!allowed) throw tooManyInstallationRequests(resetsInSeconds);
  }

  /** Appends one entry for each installation. GitHub also redirects owners here when they change its repositories. */
  private async appendAuditEntry(
    tx: TenantTransaction,
    user: User,
    { id, accountLogin, repositorySelection }: Installation,
  ): Promise<void> {
    // A concurrent request waits here, and then finds the entry of the first one.
    await tx.query('select 1 from organization for no key update');
    const known = await tx.query(
      `select 1 from audit_entry where action = 'installation.linked' and actor ->> 'type' = 'person'
         and data ->> 'installationId' = $1 limit 1`,
      [String(id)],
    );
    if (known.length > 0) return;
    await this.audit.append(tx, {
      actor: { type: 'person', id: user.id, login: user.login },
      action: 'installation.linked',
      subject: accountLogin,
      data: { installationId: id, repositorySelection },
      repositoryIds: [],
    });
  }
}
