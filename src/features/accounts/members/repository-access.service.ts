import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { HostWorkspaceReader } from '../../../workspaces/host-workspace.reader.js';
import { UserTokens } from '../users/user-tokens.service.js';
import { MembersRepository } from './members.repository.js';

/** Which private repositories of a workspace a member may read. */
@Injectable()
export class RepositoryAccess {
  constructor(
    private readonly database: Database,
    private readonly members: MembersRepository,
    private readonly workspaces: HostWorkspaceReader,
    private readonly tokens: UserTokens,
    private readonly github: GitHubGateway,
  ) {}

  /**
   * Asks the host, as the person, what they may read of what the app was given. Nothing changes where nobody can be
   * asked: without a token of theirs, and while no installation reaches the organization.
   */
  async renew(orgId: OrgId, person: number): Promise<void> {
    const token = await this.tokens.tokenOf(person);
    if (token !== null) await this.renewWith(token, orgId, person);
  }

  /** The same with a token of the person at hand. */
  async renewWith(token: string, orgId: OrgId, person: number, signal?: AbortSignal): Promise<void> {
    const { workspace, member } = await this.database.inTenant(orgId, async (tx) => ({
      workspace: await this.workspaces.find(tx),
      member: await this.members.find(tx, person),
    }));
    if (!member || !workspace || workspace.installationId === null) return;
    const { accessDoubts } = member;
    const { value, observedAt } = await this.github.userAccess.repositories(token, workspace.installationId, signal);
    const repositoryIds = value.filter((repository) => repository.private).map(({ id }) => id);
    await this.database.inTenant(orgId, (tx) =>
      this.members.replaceAccess(tx, person, { repositoryIds, observedAt, accessDoubts }),
    );
  }
}
