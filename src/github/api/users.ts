import type { Clock } from '../../config/clock.js';
import type { GitHubClient } from '../transport/github-client.js';
import { observe, type Observed } from '../transport/github-clock.js';
import { GitHubError } from '../transport/github-error.js';
import type { JsonReader } from '../transport/json-reader.js';
import { installationScope, userScope } from '../transport/token-scope.js';
import { type GitHubRepository, parseRepository } from './repository-calls.js';

/** A person's account, as anybody sees it. */
export interface GitHubUser {
  readonly id: number;
  /** As the person writes it. */
  readonly login: string;
}

/** People on GitHub, whether they know of the app or not. */
export class Users {
  constructor(
    private readonly client: GitHubClient,
    private readonly clock: Clock,
  ) {}

  /** Who is called so now, in any case; null where nobody is, or what is called so is no person. */
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

/** A person's account. */
export interface GitHubAccount {
  readonly id: number;
  readonly login: string;
  readonly name: string | null;
  readonly avatarUrl: string;
}

/** That a person belongs to an organization: `admin` is one of its owners. */
export interface OrganizationMembership {
  readonly organizationId: number;
  readonly organizationLogin: string;
  readonly role: 'admin' | 'member';
}

/**
 * What GitHub tells a person of themselves, by a token that they gave the app. A token that it no longer takes is
 * refused as `unauthorized`.
 */
export class UserAccess {
  constructor(
    private readonly client: GitHubClient,
    private readonly clock: Clock,
  ) {}

  /** Whose token it is. */
  async account(token: string, signal?: AbortSignal): Promise<Observed<GitHubAccount>> {
    return observe(this.clock, async () =>
      accountOf(await this.client.call(userScope(token), this.client.rest.users.getAuthenticated, {}, { signal })),
    );
  }

  /** The organizations that the person belongs to now: no invitation that waits, and nobody who only sees the bills. */
  async memberships(token: string, signal?: AbortSignal): Promise<Observed<readonly OrganizationMembership[]>> {
    return observe(this.clock, () =>
      this.client.list(
        userScope(token),
        this.client.rest.orgs.listMembershipsForAuthenticatedUser,
        { state: 'active', per_page: 100 },
        (page) => page.items().flatMap(membershipOf),
        signal,
      ),
    );
  }

  /** What both the person and the installation may read; nothing where the person reaches nothing of the installation. */
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

const accountOf = (body: JsonReader): GitHubAccount => ({
  id: body.integer('id'),
  login: body.text('login'),
  name: body.textOrNull('name'),
  avatarUrl: body.text('avatar_url'),
});

function membershipOf(item: JsonReader): readonly OrganizationMembership[] {
  const role = item.oneOf('role', ['admin', 'member', 'billing_manager']);
  if (role === 'billing_manager' || item.text('state') !== 'active') return [];
  const organization = item.object('organization');
  return [{ organizationId: organization.integer('id'), organizationLogin: organization.text('login'), role }];
}
