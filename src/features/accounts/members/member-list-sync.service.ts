import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { OrganizationRef } from '../../../github/api/organizations.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import { JobHandler } from '../../../jobs/job-handlers.js';
import type { JobPayload } from '../../../jobs/job.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import { WorkspacesQueries } from '../../../workspaces/workspaces.queries.js';
import { MembersRepository } from './members.repository.js';
import { type MemberIdsLoader, MembershipRefreshService } from './membership-refresh.service.js';
import { RepositoryAccessService } from './repository-access.service.js';

/** Reconciles the members of workspaces with the member lists of their organizations on GitHub. */
@Injectable()
export class MemberListSyncService {
  private readonly logger = new Logger(MemberListSyncService.name);

  constructor(
    private readonly database: Database,
    private readonly members: MembersRepository,
    private readonly workspaces: WorkspacesQueries,
    private readonly memberships: MembershipRefreshService,
    private readonly access: RepositoryAccessService,
    private readonly jobs: JobsService,
    private readonly github: GitHubGateway,
  ) {}

  @JobHandler('refresh-all-members')
  async enqueueAll(): Promise<void> {
    for (const { orgId } of await this.workspaces.listInstalled()) {
      await this.database.inTenant(orgId, (tx) => this.jobs.enqueue(tx, 'refresh-members', { orgId: tx.orgId }));
    }
  }

  /** Refreshes the members first, so that no access of a former member is read. The second step also runs if the first fails. */
  @JobHandler('refresh-members')
  async refresh({ orgId }: JobPayload<'refresh-members'>): Promise<void> {
    try {
      await this.sync(orgId);
    } finally {
      await this.access.refreshAll(orgId);
    }
  }

  /**
   * Confirms the members whom GitHub lists. A member who is missing in the list is verified by name before the removal,
   * because the list alone ends no membership. If the app may not read the list, the memberships become stale.
   */
  private async sync(orgId: OrgId): Promise<void> {
    const { workspace, members } = await this.database.inTenant(orgId, async (tx) => ({
      workspace: await this.workspaces.find(tx),
      members: await this.members.list(tx),
    }));
    if (!workspace || workspace.installationId === null || members.length === 0) return;
    const ref = { id: workspace.githubId, installationId: workspace.installationId };
    const userIds = members.map(({ userId }) => userId);
    const present = await this.confirmListed(orgId, ref, userIds);
    if (present === null) return;
    // The second list is read at most once, for all members whom GitHub does not find by their login.
    let secondList: ReturnType<MemberIdsLoader> | null = null;
    const memberIds: MemberIdsLoader = () => (secondList ??= this.github.organizations.memberIds(ref));
    for (const userId of userIds) if (!present.has(userId)) await this.memberships.verify(orgId, userId, memberIds);
  }

  /** Returns the users whom GitHub lists. Null if the installation may not read the list. */
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
      this.logger.warn(`The member list cannot be read: ${error.message}`);
      return null;
    }
  }
}
