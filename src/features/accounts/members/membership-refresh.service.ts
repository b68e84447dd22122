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
import { DomainError } from '../../../http/errors/domain-error.js';
import { WorkspacesQueries, type WorkspaceOrganization } from '../../../workspaces/workspaces.queries.js';
import { UserTokensService } from '../users/user-tokens.service.js';
import { UsersRepository } from '../users/users.repository.js';
import { MemberRemovalService } from './member-removal.service.js';
import { MembersRepository, type StoredMember } from './members.repository.js';
import { RepositoryAccessService } from './repository-access.service.js';

/**
 * The role that a person has in each account by its GitHub id, of what the host told them themselves. Their own account
 * is theirs alone: GitHub counts people and organizations together, so its id is no organization's.
 */
export const accountRoles = (
  userId: number,
  memberships: readonly OrganizationMembership[],
): ReadonlyMap<number, OrganizationMembership['role']> =>
  new Map([[userId, 'admin'], ...memberships.map(({ organizationId, role }) => [organizationId, role] as const)]);

interface Somebody {
  readonly id: number;
  /** As it was last seen; null for who never signed in. */
  readonly login: string | null;
}

export type MemberIdsLoader = () => Promise<Observed<ReadonlySet<number>>>;

type Word = 'member' | 'gone' | 'unknown';

/** How long a request waits for the host's word on its member. */
const ANSWER_MS = 3_000;
const RETRY_AFTER_SECONDS = 30;

/** Asks the host about whoever comes with a membership that grew old: once, also where several requests come together. Asks the code host whether one person belongs to an organization still, and acts on its word. */
@Injectable()
export class MembershipRefreshService extends MembershipRefresher {
  private readonly logger = new Logger(MembershipRefreshService.name);
  private readonly confirmations = new SingleFlight<void>(stoppedWaiting);
  private readonly accesses = new SingleFlight<void>(stoppedWaiting);
  private readonly unconfirmed: RecentFailures;
  private readonly silences: RecentFailures;

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
    this.unconfirmed = new RecentFailures(clock);
    this.silences = new RecentFailures(clock);
  }

  override async refresh(
    userId: number,
    { orgId, confirmedAt, accessObservedAt }: Membership,
  ): Promise<Membership | null> {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const question = `${orgId}:${userId}`;
    // Nothing else counts the requests of whoever is not let in: each would spend the host's budget, also other people's.
    const asks = this.isOld(confirmedAt) && !this.unconfirmed.has(question);
    await Promise.all([
      asks && this.confirm(orgId, userId, signal),
      this.isOld(accessObservedAt) && this.renewAccess(orgId, userId, signal),
    ]);
    const member = await this.find(orgId, userId);
    if (member && this.isOld(member.confirmedAt)) {
      if (asks) this.unconfirmed.add(question);
      throw new DomainError('unavailable', 'Whether you still belong to the organization cannot be checked now.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    return member;
  }

  /** What is old to a request may have been renewed by one a moment before it: the shared work looks again. */
  private async confirm(orgId: OrgId, userId: number, signal: AbortSignal): Promise<void> {
    const confirm = async (): Promise<void> => {
      const member = await this.find(orgId, userId);
      if (member && this.isOld(member.confirmedAt)) await this.verify(orgId, userId);
    };
    await this.attempt(this.confirmations.run(`${orgId}:${userId}`, confirm, signal));
  }

  /** A person goes on without what is private, so they need not wait for it with each request. */
  private async renewAccess(orgId: OrgId, userId: number, signal: AbortSignal): Promise<void> {
    const key = `${orgId}:${userId}`;
    if (this.silences.has(key)) return;
    const renew = async (): Promise<void> => {
      const member = await this.find(orgId, userId);
      if (member && this.isOld(member.accessObservedAt)) await this.access.refresh(orgId, userId);
    };
    if (!(await this.attempt(this.accesses.run(key, renew, signal)))) this.silences.add(key);
  }

  /** False where the host gives no answer: then what was known stays as old as it is. */
  private async attempt(question: Promise<void>): Promise<boolean> {
    try {
      await question;
      return true;
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      this.logger.warn(`A member could not be renewed: ${error.message}`);
      return false;
    }
  }

  private async find(orgId: OrgId, userId: number): Promise<StoredMember | null> {
    return this.database.inTenant(orgId, (tx) => this.members.find(tx, userId));
  }

  private isOld(at: Date | null): boolean {
    return !isFresh(at, this.clock.now());
  }

  /**
   * Confirms the member, or removes who is gone; where the host gives no answer that counts, nothing changes. Whoever
   * asks about several people says how to come by the list of all members once.
   */
  async verify(orgId: OrgId, userId: number, memberIds?: MemberIdsLoader): Promise<void> {
    const workspace = await this.database.inTenant(orgId, (tx) => this.workspaces.find(tx));
    if (!workspace) return;
    const known = (await this.users.list([userId])).get(userId);
    const somebody = { id: userId, login: known?.login ?? null };
    const { value: word, observedAt } = await this.ask(workspace, somebody, memberIds);
    if (word === 'unknown') return;
    await this.database.inTenant(orgId, async (tx) => {
      if (word === 'member') await this.members.confirm(tx, [userId], observedAt);
      else if (await this.members.lockUnconfirmed(tx, userId, observedAt)) {
        await this.removal.remove(tx, userId, {
          login: somebody.login ?? String(userId),
          actor: { type: 'service' },
          reason: 'left_organization',
        });
      }
    });
  }

  private async ask(
    { githubId, installationId }: WorkspaceOrganization,
    somebody: Somebody,
    memberIds?: MemberIdsLoader,
  ): Promise<Observed<Word>> {
    if (installationId === null) return this.askAsPerson(githubId, somebody);
    try {
      const ref = { id: githubId, installationId };
      const { value: belongs, observedAt } = await this.github.organizations.hasMember(
        ref,
        somebody,
        memberIds && { memberIds },
      );
      return { value: belongs ? 'member' : 'gone', observedAt };
    } catch (error) {
      if (GitHubError.is(error, 'forbidden', 'unauthorized')) return this.askAsPerson(githubId, somebody);
      throw error;
    }
  }

  /**
   * Where no installation has a say. What the host tells the person is believed where it names the organization; where
   * it does not, the organization may only be out of the app's sight.
   */
  private async askAsPerson(githubId: number, { id }: Somebody): Promise<Observed<Word>> {
    const token = await this.tokens.findAccessToken(id);
    if (token === null) throw new GitHubError('unauthorized', `nothing can be asked as person ${id}`);
    const { value: memberships, observedAt } = await this.github.userAccess.memberships(token);
    return { value: accountRoles(id, memberships).has(githubId) ? 'member' : 'unknown', observedAt };
  }
}
