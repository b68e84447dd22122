import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import { WorkspacesQueries } from '../../../workspaces/workspaces.queries.js';
import { UserTokensService } from '../users/user-tokens.service.js';
import { MembersRepository } from './members.repository.js';
import { MembershipsQueries } from './memberships.queries.js';

/** Asked again from this age on, so that with a round every five minutes nothing gets as old as a quarter of an hour. */
const RENEWED_FROM_MS = 9 * 60_000;
const AT_ONCE = 4;

/** Asks the host what the members may read who may look at any moment. Which private repositories of a workspace a member may read. */
@Injectable()
export class RepositoryAccessService {
  private readonly logger = new Logger(RepositoryAccessService.name);

  constructor(
    private readonly database: Database,
    private readonly members: MembersRepository,
    private readonly standings: MembershipsQueries,
    private readonly clock: Clock,
    private readonly workspaces: WorkspacesQueries,
    private readonly tokens: UserTokensService,
    private readonly github: GitHubGateway,
  ) {}

  /** Renews what members with a live session or key may read, where that is in doubt or begins to grow old. */
  async refreshAll(orgId: OrgId): Promise<void> {
    const userIds = [...(await this.listDue(orgId))];
    const renewNext = async (): Promise<void> => {
      for (let userId = userIds.pop(); userId !== undefined; userId = userIds.pop()) {
        // Whoever is left is asked about in the next round, or with their own next request.
        if (!(await this.renew(orgId, userId))) userIds.length = 0;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, renewNext));
  }

  private async listDue(orgId: OrgId): Promise<ReadonlySet<number>> {
    const now = this.clock.now();
    const renewedBefore = new Date(now.getTime() - RENEWED_FROM_MS);
    const { members, withKeys } = await this.database.inTenant(orgId, async (tx) => ({
      members: await this.members.list(tx),
      withKeys: new Set(await this.members.listWithKeys(tx, now)),
    }));
    const due = members
      .filter(({ accessObservedAt }) => accessObservedAt === null || accessObservedAt <= renewedBefore)
      .map(({ userId }) => userId);
    const inSession = await this.standings.listWithActiveSession(due, now);
    return new Set([...inSession, ...due.filter((userId) => withKeys.has(userId))]);
  }

  /** False where the host is away; one whom it refuses to answer about keeps nobody else from being asked about. */
  private async renew(orgId: OrgId, userId: number): Promise<boolean> {
    try {
      await this.refresh(orgId, userId);
      return true;
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      this.logger.warn(`What a member may read could not be renewed: ${error.message}`);
      return !GitHubError.is(error, 'unavailable', 'timeout');
    }
  }

  /**
   * Asks the host, as the person, what they may read of what the app was given. Nothing changes where nobody can be
   * asked: without a token of theirs, and while no installation reaches the organization.
   */
  async refresh(orgId: OrgId, userId: number): Promise<void> {
    const token = await this.tokens.findAccessToken(userId);
    if (token !== null) await this.renewWith(token, orgId, userId);
  }

  /** The same with a token of the person at hand. */
  async renewWith(token: string, orgId: OrgId, userId: number, signal?: AbortSignal): Promise<void> {
    const { workspace, member } = await this.database.inTenant(orgId, async (tx) => ({
      workspace: await this.workspaces.find(tx),
      member: await this.members.find(tx, userId),
    }));
    if (!member || !workspace || workspace.installationId === null) return;
    const { accessDoubts } = member;
    const { value, observedAt } = await this.github.userAccess.repositories(token, workspace.installationId, signal);
    const repositoryIds = value.filter((repository) => repository.private).map(({ id }) => id);
    await this.database.inTenant(orgId, (tx) =>
      this.members.replaceAccess(tx, userId, { repositoryIds, observedAt, accessDoubts }),
    );
  }
}
