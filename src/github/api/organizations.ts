import type { Clock } from '../../config/clock.js';
import type { TeamMembersFact } from '../../domain/facts/facts.js';
import type { GitHubClient } from '../transport/github-client.js';
import { observe, type Observed } from '../transport/github-clock.js';
import { GitHubError } from '../transport/github-error.js';
import type { JsonReader } from '../transport/json-reader.js';
import { installationScope } from '../transport/token-scope.js';
import type { Installation, Installations } from './installations.js';

/** An organization by its id, with the installation by which its members are read. */
export interface OrganizationRef {
  readonly id: number;
  readonly installationId: number;
}

interface MemberQuery {
  readonly signal?: AbortSignal;
  /** Returns the ids of all members. */
  readonly memberIds?: () => Promise<Observed<ReadonlySet<number>>>;
}

/**
 * Reads the members of organizations by numeric ids. Never reads another organization that now has the same name. Fails as
 * `forbidden` if the installation was removed, is suspended or lacks the permission to read members. Without that
 * permission GitHub would list public members only.
 */
export class Organizations {
  constructor(
    private readonly client: GitHubClient,
    private readonly installations: Installations,
    private readonly clock: Clock,
  ) {}

  /** Returns the ids of all members, owners included. */
  async memberIds(ref: OrganizationRef, signal?: AbortSignal): Promise<Observed<ReadonlySet<number>>> {
    return observe(this.clock, async () => {
      const account = await this.account(ref, signal);
      // The only member of a personal account is the account itself.
      if (account.accountType !== 'Organization') return new Set([account.accountId]);
      const ids = await this.client.list(
        installationScope(ref.installationId),
        this.client.rest.orgs.listMembers,
        { org: account.accountLogin, per_page: 100 },
        (page) => page.items().map((member) => member.integer('id')),
        signal,
      );
      // The name may have passed to another organization during the read.
      const { accountLogin } = await this.account(ref, signal);
      if (accountLogin !== account.accountLogin) {
        throw new GitHubError('unavailable', `organization ${ref.id} was renamed while its members were read`);
      }
      if (ids.length === 0)
        throw new GitHubError('malformed', `organization ${ref.id} has no member, not even an owner`);
      return new Set(ids);
    });
  }

  /**
   * Returns whether the user is a member of the organization. The login only saves calls: if GitHub finds no member or
   * another user by it, the list of all members decides. A caller that checks several users can pass a shared list.
   */
  async hasMember(
    ref: OrganizationRef,
    user: { readonly id: number; readonly login: string | null },
    { signal, memberIds = () => this.memberIds(ref, signal) }: MemberQuery = {},
  ): Promise<Observed<boolean>> {
    const byLogin = await observe(this.clock, () => this.isMemberByLogin(ref, user, signal));
    if (byLogin.value) return byLogin;
    const { value: ids, observedAt } = await memberIds();
    return { value: ids.has(user.id), observedAt };
  }

  private async isMemberByLogin(
    ref: OrganizationRef,
    { id, login }: { readonly id: number; readonly login: string | null },
    signal?: AbortSignal,
  ): Promise<boolean> {
    if (login === null) return false;
    const { accountType, accountLogin } = await this.account(ref, signal);
    if (accountType !== 'Organization') return false;
    const parameters = { org: accountLogin, username: login };
    try {
      const scope = installationScope(ref.installationId);
      return isActive(
        await this.client.call(scope, this.client.rest.orgs.getMembershipForUser, parameters, { signal }),
        ref.id,
        id,
      );
    } catch (error) {
      if (GitHubError.is(error, 'not_found')) return false;
      throw error;
    }
  }

  /** Returns the installation. Throws `forbidden` unless it belongs to this organization and may read its members. */
  private async account({ id, installationId }: OrganizationRef, signal?: AbortSignal): Promise<Installation> {
    const { value: installation } = await this.installations.find(installationId, signal);
    if (installation === null || !canReadMembers(installation, id)) {
      throw new GitHubError(
        'forbidden',
        `installation ${installationId} may not read the members of organization ${id}`,
      );
    }
    return installation;
  }
}

function canReadMembers(
  { accountId, accountType, permissions, suspendedAt }: Installation,
  organizationId: number,
): boolean {
  if (accountId !== organizationId || suspendedAt !== null) return false;
  // Ids of enterprises and of accounts are independent, so they may be equal.
  return accountType === 'Organization'
    ? ['read', 'write'].includes(permissions['members'] ?? '')
    : accountType === 'User';
}

const isActive = (body: JsonReader, organizationId: number, userId: number): boolean =>
  body.text('state') === 'active' &&
  body.object('organization').integer('id') === organizationId &&
  body.objectOrNull('user')?.integer('id') === userId;

const NO_TEAM: TeamMembersFact = { exists: false, userIds: [] };

export class Teams {
  constructor(
    private readonly client: GitHubClient,
    private readonly clock: Clock,
  ) {}

  /** Returns the members of a team, including those of its child teams. */
  async members(
    installationId: number,
    org: string,
    slug: string,
    signal?: AbortSignal,
  ): Promise<Observed<TeamMembersFact>> {
    return observe(this.clock, async () => {
      try {
        const userIds = await this.client.list(
          installationScope(installationId),
          this.client.rest.teams.listMembersInOrg,
          { org, team_slug: slug, per_page: 100 },
          (page) => page.items().map((member) => member.integer('id')),
          signal,
        );
        return { exists: true, userIds };
      } catch (error) {
        // A removed installation fails as `unauthorized` instead.
        if (GitHubError.is(error, 'not_found')) return NO_TEAM;
        throw error;
      }
    });
  }
}
