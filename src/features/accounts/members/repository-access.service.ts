import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import { WorkspacesQueries } from '../../../workspaces/workspaces.queries.js';
import { UserTokensService } from '../users/user-tokens.service.js';
import { UsersRepository } from '../users/users.repository.js';
import { MembersRepository } from './members.repository.js';

/** With a job every five minutes, no access becomes older than 15 minutes, the lifetime of a membership. */
const REFRESH_AFTER_MS = 9 * 60_000;
const CONCURRENCY = 4;

/** Reads from GitHub which private repositories of a workspace each member can read. */
@Injectable()
export class RepositoryAccessService {
  private readonly logger = new Logger(RepositoryAccessService.name);

  constructor(
    private readonly database: Database,
    private readonly members: MembersRepository,
    private readonly users: UsersRepository,
    private readonly clock: Clock,
    private readonly workspaces: WorkspacesQueries,
    private readonly tokens: UserTokensService,
    private readonly github: GitHubGateway,
  ) {}

  /** Refreshes the access of members with an active session or key if it was invalidated or is nearly stale. */
  async refreshAll(orgId: OrgId): Promise<void> {
    const userIds = [...(await this.listDue(orgId))];
    const refreshNext = async (): Promise<void> => {
      for (let userId = userIds.pop(); userId !== undefined; userId = userIds.pop()) {
        // The next job, or the next request of the member, reads the remaining ones.
        if (!(await this.refreshOne(orgId, userId))) userIds.length = 0;
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, refreshNext));
  }

  private async listDue(orgId: OrgId): Promise<ReadonlySet<number>> {
    const now = this.clock.now();
    const refreshedBefore = new Date(now.getTime() - REFRESH_AFTER_MS);
    const { members, withKeys } = await this.database.inTenant(orgId, async (tx) => ({
      members: await this.members.list(tx),
      withKeys: new Set(await this.members.listUserIdsWithActiveKey(tx, now)),
    }));
    const due = members
      .filter(({ accessObservedAt }) => accessObservedAt === null || accessObservedAt <= refreshedBefore)
      .map(({ userId }) => userId);
    const inSession = await this.users.listIdsWithActiveSession(due, now);
    return new Set([...inSession, ...due.filter((userId) => withKeys.has(userId))]);
  }

  /** Returns false if GitHub does not answer. An error that concerns one member does not stop the others. */
  private async refreshOne(orgId: OrgId, userId: number): Promise<boolean> {
    try {
      await this.refresh(orgId, userId);
      return true;
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      this.logger.warn(`Repository access of a member could not be refreshed: ${error.message}`);
      return !GitHubError.is(error, 'unavailable', 'timeout');
    }
  }

  /**
   * Reads, with the user's token, which repositories of the installation the user can read. Changes nothing if the user has
   * no token or the app is not installed.
   */
  async refresh(orgId: OrgId, userId: number): Promise<void> {
    const token = await this.tokens.findAccessToken(userId);
    if (token !== null) await this.refreshWithToken(token, orgId, userId);
  }

  /** Does the same as `refresh` with this token of the user. */
  async refreshWithToken(token: string, orgId: OrgId, userId: number, signal?: AbortSignal): Promise<void> {
    const { workspace, member } = await this.database.inTenant(orgId, async (tx) => ({
      workspace: await this.workspaces.find(tx),
      member: await this.members.find(tx, userId),
    }));
    if (!member || !workspace || workspace.installationId === null) return;
    const { accessGeneration } = member;
    const { value, observedAt } = await this.github.userAccess.repositories(token, workspace.installationId, signal);
    const repositoryIds = value.filter((repository) => repository.private).map(({ id }) => id);
    await this.database.inTenant(orgId, (tx) =>
      this.members.replaceAccess(tx, userId, { repositoryIds, observedAt, accessGeneration }),
    );
  }
}
