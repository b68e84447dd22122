import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { SessionsRepository } from '../../../auth/session/sessions.repository.js';
import type { User } from '../../../auth/user.js';
import { Clock } from '../../../config/clock.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import { JobHandlers } from '../../../jobs/job-handlers.js';
import { WorkspacesQueries } from '../../../workspaces/workspaces.queries.js';
import { MembersService } from '../members/members.service.js';
import { MembershipsQueries } from '../members/memberships.queries.js';
import { UserTokensService } from '../users/user-tokens.service.js';

/** Lets in whoever was signed in before their organization became known, by the checks of a sign-in. */
@Injectable()
export class SignedInAdmission implements OnModuleInit {
  private readonly logger = new Logger(SignedInAdmission.name);

  constructor(
    private readonly database: Database,
    private readonly workspaces: WorkspacesQueries,
    private readonly standings: MembershipsQueries,
    private readonly members: MembersService,
    private readonly tokens: UserTokensService,
    private readonly sessions: SessionsRepository,
    private readonly github: GitHubGateway,
    private readonly handlers: JobHandlers,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.handlers.register('add-signed-in-users', ({ orgId }) => this.admit(orgId));
  }

  private async admit(orgId: OrgId): Promise<void> {
    const workspace = await this.database.inTenant(orgId, (tx) => this.workspaces.find(tx));
    if (!workspace || workspace.installationId === null) return;
    const users = await this.standings.listSignedIn(this.clock.now());
    if (users.length === 0) return;
    const belonging = await this.findBelonging(workspace.githubId, workspace.installationId);
    let failure: unknown = null;
    for (const user of users.filter(({ id }) => belonging === null || belonging.has(id))) {
      try {
        await this.arrive(user);
      } catch (error) {
        const cause = error instanceof GitHubError ? error : (error as Error).cause;
        if (!(cause instanceof GitHubError)) throw error;
        // One about whom the host says nothing keeps no other out; one who took their consent back has to sign in again.
        if (cause.isTransient) failure = error;
        else this.logger.warn(`A person who is signed in could not be looked for: ${cause.message}`);
      }
    }
    if (failure !== null) throw failure as Error;
  }

  /** Of whom the host must be asked at all; null is everybody, where the installation may not list its people. */
  private async findBelonging(id: number, installationId: number): Promise<ReadonlySet<number> | null> {
    try {
      return (await this.github.organizations.memberIds({ id, installationId })).value;
    } catch (error) {
      if (GitHubError.is(error, 'forbidden')) return null;
      throw error;
    }
  }

  private async arrive(user: User): Promise<void> {
    const token = await this.tokens.findAccessToken(user.id);
    if (token === null) return;
    const [only, another] = await this.members.syncOnSignIn(user, token);
    if (only && !another) await this.sessions.enterFirstWorkspace(user.id, only.orgId);
  }
}
