import { Inject, Injectable } from '@nestjs/common';
import { SessionsRepository } from '../../auth/session/sessions.repository.js';
import type { User } from '../../auth/user.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { Database, type TenantTransaction } from '../../database/database.js';
import type { Installation } from '../../github/api/installations.js';
import type { OrganizationMembership } from '../../github/api/users.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import { GitHubError } from '../../github/transport/github-error.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { githubUnavailable } from '../../http/errors/github-unavailable.js';
import { RateLimitLeases } from '../../http/rate-limit/rate-limit-leases.js';
import type { RateLimitPolicy } from '../../http/rate-limit/rate-limits.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { MembersService } from '../accounts/members/members.service.js';
import { SessionsService } from '../accounts/sign-in/sessions.service.js';
import { UserTokensService } from '../accounts/users/user-tokens.service.js';
import { AuditRepository } from '../audit/audit.repository.js';
import { InstallationSyncService } from '../sync/installation-sync.service.js';

/** More than anybody needs who installs the app, and little of the budget that GitHub gives the app for everybody. */
const POLICY: RateLimitPolicy = { name: 'installation-look-ups', limit: 6, windowSeconds: 60 };

const RETRY_AFTER_SECONDS = 30;

/** Connects an organization whose owner comes back from installing the app. The id in the address is anybody's to write: it counts only as far as the app's own interface knows it and the person owns the organization that it is of, as the host says now. Counts how often each person has the host asked for an installation: the id is theirs to make up. Writes down who connected an organization. */
@Injectable()
export class InstallationService {
  constructor(
    private readonly database: Database,
    private readonly sessionReader: SessionsRepository,
    private readonly sessions: SessionsService,
    private readonly tokens: UserTokensService,
    private readonly github: GitHubGateway,
    private readonly installations: InstallationSyncService,
    private readonly jobs: JobsService,
    private readonly members: MembersService,
    private readonly leases: RateLimitLeases,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly audit: AuditRepository,
  ) {}

  /**
   * `connected`: the person is an admin of the workspace, and their session works in it. `sign_in`: who they are on the
   * host is not known. Throws `not_found` for an installation that is none of theirs, whether there is one or not,
   * `forbidden` where they belong to its organization and do not own it, or own none at all, `rate_limited` where they
   * have come too often.
   */
  async connect(session: Buffer | null, installationId: number): Promise<'connected' | 'sign_in'> {
    const user = session && (await this.sessionReader.find(session))?.user;
    if (!session || !user) return 'sign_in';
    try {
      const token = await this.tokens.findAccessToken(user.id);
      const memberships = token === null ? null : await this.membershipsOf(token);
      if (token === null || memberships === null) return 'sign_in';
      const installation = await this.ownedBy(user, memberships, installationId);
      await this.connectInstallation(session, user, token, installation);
      return 'connected';
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      throw githubUnavailable(error, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
  }

  /** Null where the host takes the token no more: the person may have taken it back since it was stored. */
  private async membershipsOf(token: string): Promise<readonly OrganizationMembership[] | null> {
    try {
      return (await this.github.userAccess.memberships(token)).value;
    } catch (error) {
      if (GitHubError.is(error, 'unauthorized')) return null;
      throw error;
    }
  }

  private async ownedBy(
    user: User,
    memberships: readonly OrganizationMembership[],
    installationId: number,
  ): Promise<Installation> {
    // Whoever owns nothing has nothing to connect, whatever the id: the host need not be asked for it.
    if (!memberships.some(({ role }) => role === 'admin')) throw ownsNothing();
    await this.spend(user.id);
    const { value: installation } = await this.github.installations.find(installationId);
    if (installation?.accountType === 'User' && installation.accountId === user.id) throw notAnOrganization();
    if (installation?.accountType !== 'Organization') throw noneOfYours();
    const membership = memberships.find(({ organizationId }) => organizationId === installation.accountId);
    if (!membership) throw noneOfYours();
    if (membership.role !== 'admin') throw notItsOwner(installation.accountLogin);
    return installation;
  }

  private async connectInstallation(
    session: Buffer,
    user: User,
    token: string,
    installation: Installation,
  ): Promise<void> {
    const orgId = await this.installations.findOrCreateWorkspace(installation);
    await this.jobs.enqueueGlobal('sync-installation', { installationId: installation.id });
    const standings = await this.members.syncOnSignIn(user, token);
    const standing = standings.find((one) => one.orgId === orgId);
    // Between the two answers of the host the person ceased to own it.
    if (standing?.role !== 'admin') throw notItsOwner(installation.accountLogin);
    await this.database.inTenant(orgId, (tx) => this.record(tx, user, installation));
    await this.sessions.selectWorkspaceById(session, user, orgId);
  }

  /** Counts one question. Throws `rate_limited` where the person has asked too often. */
  async spend(userId: number): Promise<void> {
    if (!this.environment.rateLimits) return;
    const { allowed, resetsInSeconds } = await this.leases.consume(POLICY, `person:${userId}`);
    if (allowed) return;
    throw new DomainError('rate_limited', 'You came back from installations too often: try again in a minute.', {
      retryAfterSeconds: resetsInSeconds,
    });
  }

  /** Once for an installation: GitHub sends its owners here also when they only change which repositories it reaches. */
  async record(
    tx: TenantTransaction,
    user: User,
    { id, accountLogin, repositorySelection }: Installation,
  ): Promise<void> {
    // Of two at once the second waits here, and then finds what the first wrote.
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

const noneOfYours = (): DomainError =>
  new DomainError('not_found', 'There is no installation of this app with this id in an organization of yours.');

const ownsNothing = (): DomainError =>
  new DomainError(
    'forbidden',
    'You own no organization on GitHub, and only its owner connects one: ask them to, or for an invite.',
  );

const notItsOwner = (login: string): DomainError =>
  new DomainError('forbidden', `Only an owner of ${login} connects it. Ask one of them, or for an invite.`);

const notAnOrganization = (): DomainError =>
  new DomainError('forbidden', 'The app is installed in your own account; install it in an organization instead.');
