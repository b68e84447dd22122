import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { OrganizationRef } from '../../../github/api/organizations.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import { WorkspacesQueries } from '../../../workspaces/workspaces.queries.js';
import { MembersRepository } from './members.repository.js';
import { type MemberIdsLoader, MembershipRefreshService } from './membership-refresh.service.js';

/** Asks the host about all members of a workspace at once. */
@Injectable()
export class MemberListSyncService {
  private readonly logger = new Logger(MemberListSyncService.name);

  constructor(
    private readonly database: Database,
    private readonly members: MembersRepository,
    private readonly workspaces: WorkspacesQueries,
    private readonly confirmation: MembershipRefreshService,
    private readonly github: GitHubGateway,
  ) {}

  /**
   * Confirms the members whom the host lists. Who is missing is asked for by name before they are removed: the list
   * alone ends no membership. Where the host has no say for the app, memberships grow old.
   */
  async sync(orgId: OrgId): Promise<void> {
    const { workspace, members } = await this.database.inTenant(orgId, async (tx) => ({
      workspace: await this.workspaces.find(tx),
      members: await this.members.list(tx),
    }));
    if (!workspace || workspace.installationId === null || members.length === 0) return;
    const ref = { id: workspace.githubId, installationId: workspace.installationId };
    const userIds = members.map(({ userId }) => userId);
    const present = await this.confirmListed(orgId, ref, userIds);
    if (present === null) return;
    // The second list, too, is read once, however many there are whom their login does not find.
    let again: ReturnType<MemberIdsLoader> | null = null;
    const memberIds: MemberIdsLoader = () => (again ??= this.github.organizations.memberIds(ref));
    for (const person of userIds) if (!present.has(person)) await this.confirmation.verify(orgId, person, memberIds);
  }

  /** Whom the host lists; null where the installation may not know. */
  private async confirmListed(
    orgId: OrgId,
    ref: OrganizationRef,
    userIds: readonly number[],
  ): Promise<ReadonlySet<number> | null> {
    try {
      const { value: listed, observedAt } = await this.github.organizations.memberIds(ref);
      const present = userIds.filter((userId) => listed.has(userId));
      await this.database.inTenant(orgId, (tx) => this.members.confirm(tx, present, observedAt));
      return listed;
    } catch (error) {
      if (!GitHubError.is(error, 'forbidden')) throw error;
      this.logger.warn(`The members of a workspace cannot be asked for: ${error.message}`);
      return null;
    }
  }
}
