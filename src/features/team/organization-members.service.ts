import { Injectable } from '@nestjs/common';
import type { User } from '../../auth/user.js';
import type { GitHubUser } from '../../github/api/users.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import type { Observed } from '../../github/transport/github-clock.js';
import { GitHubError } from '../../github/transport/github-error.js';
import { githubUnavailable } from '../../http/errors/github-unavailable.js';
import type { WorkspaceOrganization } from '../../workspaces/workspaces.queries.js';
import { organizationNotAccessible } from './team.errors.js';

/** The maximum time that a request waits for GitHub. */
const GITHUB_TIMEOUT_MS = 5_000;
const RETRY_AFTER_SECONDS = 30;

/**
 * Reads the members of an organization from GitHub. Throws `conflict` if the app has no access, `unavailable` if GitHub does not
 * answer.
 */
@Injectable()
export class OrganizationMembersService {
  constructor(private readonly github: GitHubGateway) {}

  /** Finds the user with this login. */
  async findByLogin(organization: WorkspaceOrganization, login: string): Promise<GitHubUser | null> {
    const found = await withInstallation(organization, (installationId, signal) =>
      this.github.users.findByLogin(installationId, login, signal),
    );
    return found.value;
  }

  /** Returns whether the user belongs to the organization with this id, not only to one with its name. */
  isMember(organization: WorkspaceOrganization, user: User): Promise<Observed<boolean>> {
    return withInstallation(organization, (installationId, signal) =>
      this.github.organizations.hasMember({ id: organization.githubId, installationId }, user, { signal }),
    );
  }
}

async function withInstallation<T>(
  { installationId, login }: WorkspaceOrganization,
  read: (installationId: number, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (installationId === null) throw organizationNotAccessible(login);
  try {
    return await read(installationId, AbortSignal.timeout(GITHUB_TIMEOUT_MS));
  } catch (error) {
    if (GitHubError.is(error, 'forbidden', 'unauthorized')) throw organizationNotAccessible(login);
    if (error instanceof GitHubError) throw githubUnavailable(error, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    throw error;
  }
}
