import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { GitHubGateway } from '../../../github/github-gateway.js';
import { GitHubError } from '../../../github/transport/github-error.js';
import type { Observed } from '../../../github/transport/observed.js';
import { HostWorkspaceReader, type WorkspaceOnHost } from '../../../workspaces/host-workspace.reader.js';
import { PeopleReader } from '../users/people.reader.js';
import { UserTokens } from '../users/user-tokens.service.js';
import { accountRoles } from './account-roles.js';
import { MemberRemoval } from './member-removal.service.js';
import { MembersRepository } from './members.repository.js';

interface Somebody {
  readonly id: number;
  /** As it was last seen; null for who never signed in. */
  readonly login: string | null;
}

export type ListOfMembers = () => Promise<Observed<ReadonlySet<number>>>;

type Word = 'member' | 'gone' | 'unknown';

/** Asks the code host whether one person belongs to an organization still, and acts on its word. */
@Injectable()
export class MembershipConfirmation {
  constructor(
    private readonly database: Database,
    private readonly members: MembersRepository,
    private readonly workspaces: HostWorkspaceReader,
    private readonly people: PeopleReader,
    private readonly removal: MemberRemoval,
    private readonly tokens: UserTokens,
    private readonly github: GitHubGateway,
  ) {}

  /**
   * Confirms the member, or removes who is gone; where the host gives no answer that counts, nothing changes. Whoever
   * asks about several people says how to come by the list of all members once.
   */
  async confirm(orgId: OrgId, person: number, memberIds?: ListOfMembers): Promise<void> {
    const workspace = await this.database.inTenant(orgId, (tx) => this.workspaces.find(tx));
    if (!workspace) return;
    const known = (await this.people.list([person])).get(person);
    const somebody = { id: person, login: known?.login ?? null };
    const { value: word, observedAt } = await this.ask(workspace, somebody, memberIds);
    if (word === 'unknown') return;
    await this.database.inTenant(orgId, async (tx) => {
      if (word === 'member') await this.members.confirm(tx, [person], observedAt);
      else if (await this.members.lockUnconfirmed(tx, person, observedAt)) {
        await this.removal.remove(tx, person, {
          login: somebody.login ?? String(person),
          actor: { type: 'service' },
          reason: 'left_organization',
        });
      }
    });
  }

  private async ask(
    { githubId, installationId }: WorkspaceOnHost,
    somebody: Somebody,
    memberIds?: ListOfMembers,
  ): Promise<Observed<Word>> {
    if (installationId === null) return this.askAsPerson(githubId, somebody);
    try {
      const ref = { id: githubId, installationId };
      const { value: belongs, observedAt } = await this.github.organizations.hasMember(
        ref,
        somebody,
        memberIds && { memberIds },
      );
      return { value: belongs ? 'member' : 'gone', observedAt };
    } catch (error) {
      if (GitHubError.is(error, 'forbidden', 'unauthorized')) return this.askAsPerson(githubId, somebody);
      throw error;
    }
  }

  /**
   * Where no installation has a say. What the host tells the person is believed where it names the organization; where
   * it does not, the organization may only be out of the app's sight.
   */
  private async askAsPerson(githubId: number, { id }: Somebody): Promise<Observed<Word>> {
    const token = await this.tokens.tokenOf(id);
    if (token === null) throw new GitHubError('unauthorized', `nothing can be asked as person ${id}`);
    const { value: memberships, observedAt } = await this.github.userAccess.memberships(token);
    return { value: accountRoles(id, memberships).has(githubId) ? 'member' : 'unknown', observedAt };
  }
}
