import type { Clock } from '../../config/clock.js';
import type { GitHubClient } from '../transport/github-client.js';
import { observe, type Observed } from '../transport/github-clock.js';
import { GitHubError } from '../transport/github-error.js';
import type { JsonReader } from '../transport/json-reader.js';
import { installationScope, userScope } from '../transport/token-scope.js';
import { type GitHubRepository, parseRepository } from './repository-calls.js';

/** The public account of a user. */
export interface GitHubUser {
  readonly id: number;
  /** In the user's own spelling. */
  readonly login: string;
}

/** Finds GitHub users, who need not have signed in here. */
export class Users {
  constructor(
    private readonly client: GitHubClient,
    private readonly clock: Clock,
  ) {}

  /** Returns the user with this login, ignoring case; null if there is none or the account is not a user. */
  async findByLogin(installationId: number, login: string, signal?: AbortSignal): Promise<Observed<GitHubUser | null>> {
    return observe(this.clock, async () => {
      try {
        const scope = installationScope(installationId);
        const body = await this.client.call(
          scope,
          this.client.rest.users.getByUsername,
          { username: login },
          { signal },
        );
        return body.text('type') === 'User' ? { id: body.integer('id'), login: body.text('login') } : null;
      } catch (error) {
        if (GitHubError.is(error, 'not_found')) return null;
        throw error;
      }
    });
  }
}

/** The account of a signed-in user. */
export interface GitHubAccount {
  readonly id: number;
  readonly login: string;
  readonly name: string | null;
  readonly avatarUrl: string;
}

/** The membership of a user in an organization. `admin` means owner. */
export interface OrganizationMembership {
  readonly organizationId: number;
  readonly organizationLogin: string;
  readonly role: 'admin' | 'member';
}

/**
 * Reads data of a user with the user's own token. Fails as `unauthorized` if GitHub no longer accepts the token.
 */
export class UserAccess {
  constructor(
    private readonly client: GitHubClient,
    private readonly clock: Clock,
  ) {}

  /** Returns the account that the token belongs to. */
  async account(token: string, signal?: AbortSignal): Promise<Observed<GitHubAccount>> {
    return observe(this.clock, async () =>
      parseAccount(await this.client.call(userScope(token), this.client.rest.users.getAuthenticated, {}, { signal })),
    );
  }

  /** Lists the organizations of the user, without pending invitations and without those where the user is a billing manager. */
  async memberships(token: string, signal?: AbortSignal): Promise<Observed<readonly OrganizationMembership[]>> {
    return observe(this.clock, () =>
      this.client.list(
        userScope(token),
        this.client.rest.orgs.listMembershipsForAuthenticatedUser,
        { state: 'active', per_page: 100 },
        (page) => page.items().flatMap(parseMembership),
        signal,
      ),
    );
  }

  /** Lists the repositories that both the user and the installation can read. */
  async repositories(
    token: string,
    installationId: number,
    signal?: AbortSignal,
  ): Promise<Observed<readonly GitHubRepository[]>> {
    return observe(this.clock, async () => {
      try {
        return await this.client.list(
          userScope(token),
          this.client.rest.apps.listInstallationReposForAuthenticatedUser,
          { installation_id: installationId, per_page: 100 },
          (page) => page.list('repositories').map(parseRepository),
          signal,
        );
      } catch (error) {
        if (GitHubError.is(error, 'not_found')) return [];
        throw error;
      }
    });
  }
}

const parseAccount = (body: JsonReader): GitHubAccount => ({
  id: body.integer('id'),
  login: body.text('login'),
  name: body.textOrNull('name'),
  avatarUrl: body.text('avatar_url'),
});

function parseMembership(item: JsonReader): readonly OrganizationMembership[] {
  const role = item.readChoice('role', ['admin', 'member', 'billing_manager']);
  if (role === 'billing_manager' || item.text('state') !== 'active') return [];
  const organization = item.object('organization');
  return [{ organizationId: organization.integer('id'), organizationLogin: organization.text('login'), role }];
}
