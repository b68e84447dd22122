import { Injectable, Logger } from '@nestjs/common';
import { SessionsRepository } from '../../../auth/session/sessions.repository.js';
import type { User } from '../../../auth/user.js';
import { Clock } from '../../../config/clock.js';
import { Database } from '../../../database/database.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import { JobHandler } from '../../../jobs/job-handlers.js';
import type { JobPayload } from '../../../jobs/job.js';
import { WorkspacesQueries } from '../../../workspaces/workspaces.queries.js';
import { MembersService } from '../members/members.service.js';
import { UserTokensService } from '../users/user-tokens.service.js';
import { UsersRepository } from '../users/users.repository.js';

/** Adds users to a new workspace who signed in before it existed, with the checks of a sign-in. */
@Injectable()
export class SignedInUsersService {
  private readonly logger = new Logger(SignedInUsersService.name);

  constructor(
    private readonly database: Database,
    private readonly workspaces: WorkspacesQueries,
    private readonly users: UsersRepository,
    private readonly members: MembersService,
    private readonly tokens: UserTokensService,
    private readonly sessions: SessionsRepository,
    private readonly github: GitHubGateway,
    private readonly clock: Clock,
  ) {}

  @JobHandler('add-signed-in-users')
  async addToWorkspace({ orgId }: JobPayload<'add-signed-in-users'>): Promise<void> {
    const workspace = await this.database.inTenant(orgId, (tx) => this.workspaces.find(tx));
    if (!workspace || workspace.installationId === null) return;
    const users = await this.users.listSignedIn(this.clock.now());
    if (users.length === 0) return;
    const memberIds = await this.listMemberIds(workspace.githubId, workspace.installationId);
    let failure: unknown = null;
    for (const user of users.filter(({ id }) => memberIds === null || memberIds.has(id))) {
      try {
        await this.syncUser(user);
      } catch (error) {
        const cause = error instanceof GitHubError ? error : (error as Error).cause;
        if (!(cause instanceof GitHubError)) throw error;
        // An error for one user does not stop the others. A user who revoked the authorization must sign in again.
        if (cause.isTransient) failure = error;
        else this.logger.warn(`A signed-in user could not be added to a workspace: ${cause.message}`);
      }
    }
    if (failure !== null) throw failure as Error;
  }

  /** Returns the members of the organization. Null if the installation may not list them; then every user is checked. */
  private async listMemberIds(id: number, installationId: number): Promise<ReadonlySet<number> | null> {
    try {
      return (await this.github.organizations.memberIds({ id, installationId })).value;
    } catch (error) {
      if (GitHubError.is(error, 'forbidden')) return null;
      throw error;
    }
  }

  private async syncUser(user: User): Promise<void> {
    const token = await this.tokens.findAccessToken(user.id);
    if (token === null) return;
    const [first, second] = await this.members.syncOnSignIn(user, token);
    if (first && !second) await this.sessions.selectFirstWorkspace(user.id, first.orgId);
  }
}
