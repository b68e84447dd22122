import { Injectable } from '@nestjs/common';
import type { User } from '../../auth/user.js';
import type { GitHubUser } from '../../github/api/users.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import type { Observed } from '../../github/transport/github-clock.js';
import { GitHubError } from '../../github/transport/github-error.js';
import type { WorkspaceOrganization } from '../../workspaces/workspaces.queries.js';
import { organizationNotAccessible, hostGone } from './team.errors.js';

/** How long an admin or a newcomer waits for the host's word. */
const ANSWER_MS = 5_000;

/**
 * Asks the code host about people of an organization. Throws `conflict` where the app has no say there, `unavailable`
 * where the host does not answer.
 */
@Injectable()
export class OrganizationMembersService {
  constructor(private readonly github: GitHubGateway) {}

  /** Who is called so now; null where nobody is. */
  async findByLogin(organization: WorkspaceOrganization, login: string): Promise<GitHubUser | null> {
    const found = await ask(organization, (installationId, signal) =>
      this.github.users.findByLogin(installationId, login, signal),
    );
    return found.value;
  }

  /** Whether the person belongs to the organization now, and not only to one that bears its name. */
  isMember(organization: WorkspaceOrganization, user: User): Promise<Observed<boolean>> {
    return ask(organization, (installationId, signal) =>
      this.github.organizations.hasMember({ id: organization.githubId, installationId }, user, { signal }),
    );
  }
}

async function ask<T>(
  { installationId, login }: WorkspaceOrganization,
  question: (installationId: number, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (installationId === null) throw organizationNotAccessible(login);
  try {
    return await question(installationId, AbortSignal.timeout(ANSWER_MS));
  } catch (error) {
    if (GitHubError.is(error, 'forbidden', 'unauthorized')) throw organizationNotAccessible(login);
    if (error instanceof GitHubError) throw hostGone(error);
    throw error;
  }
}
