import type { Clock } from '../../config/clock.js';
import type { TeamMembersFact } from '../../domain/facts/facts.js';
import type { GitHubClient } from '../transport/github-client.js';
import { observe, type Observed } from '../transport/github-clock.js';
import { GitHubError } from '../transport/github-error.js';
import type { JsonReader } from '../transport/json-reader.js';
import { installationScope } from '../transport/token-scope.js';
import type { Installation, Installations } from './installations.js';

/** An organization by its id, with the installation of the app that may speak of it. */
export interface OrganizationRef {
  readonly id: number;
  readonly installationId: number;
}

interface MemberQuery {
  readonly signal?: AbortSignal;
  /** Answers the list of all members. */
  readonly memberIds?: () => Promise<Observed<ReadonlySet<number>>>;
}

/**
 * Who belongs to organizations, by numeric ids. Nothing is read of an organization that only bears the name of the one
 * that was meant. Refused as `forbidden` where the installation has no say: withdrawn, suspended, or without the
 * permission to see members, to whom GitHub lists those alone who show their membership to everybody.
 */
export class Organizations {
  constructor(
    private readonly client: GitHubClient,
    private readonly installations: Installations,
    private readonly clock: Clock,
  ) {}

  /** The ids of all members, owners included. */
  async memberIds(ref: OrganizationRef, signal?: AbortSignal): Promise<Observed<ReadonlySet<number>>> {
    return observe(this.clock, async () => {
      const account = await this.account(ref, signal);
      // The account of a person has its holder and nobody else.
      if (account.accountType !== 'Organization') return new Set([account.accountId]);
      const ids = await this.client.list(
        installationScope(ref.installationId),
        this.client.rest.orgs.listMembers,
        { org: account.accountLogin, per_page: 100 },
        (page) => page.items().map((member) => member.integer('id')),
        signal,
      );
      // Whoever is called so by now may not be who was asked about.
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
   * Whether one person belongs to the organization. The login only finds them faster: where GitHub knows no member
   * by it, or another, the list of all decides, which whoever asks about several people may have read once for them all.
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

  /** The installation, of which it is certain that it is this organization's and may see its members. */
  private async account({ id, installationId }: OrganizationRef, signal?: AbortSignal): Promise<Installation> {
    const { value: installation } = await this.installations.find(installationId, signal);
    if (installation === null || !maySpeakFor(installation, id)) {
      throw new GitHubError(
        'forbidden',
        `installation ${installationId} has no say in who belongs to organization ${id}`,
      );
    }
    return installation;
  }
}

function maySpeakFor(
  { accountId, accountType, permissions, suspendedAt }: Installation,
  organizationId: number,
): boolean {
  if (accountId !== organizationId || suspendedAt !== null) return false;
  // An enterprise's id is counted apart from those of accounts, and may be equal to one.
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

  /** The members of an organization's team by its slug, those of its child teams included, as GitHub lists them. */
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
        // A withdrawn installation says nothing of its teams, and fails as unauthorized.
        if (GitHubError.is(error, 'not_found')) return NO_TEAM;
        throw error;
      }
    });
  }
}
