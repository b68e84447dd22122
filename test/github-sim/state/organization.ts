import { membershipView, organizationSummary } from '../views/organization-view.js';
import { teamView } from '../views/team-view.js';
import { userView } from '../views/user-view.js';
import { Account, type AccountSpec } from './account.js';
import { Repository, type RepositorySpec } from './repository.js';
import type { RoleName } from './role.js';
import { Team } from './team.js';
import type { User } from './user.js';
import type { SimulatedGitHubState } from './simulated-github-state.js';

type OrganizationRole = 'admin' | 'member';

/** An organization with its members, its teams and the base permission of its members. */
export class Organization extends Account {
  readonly type = 'Organization';
  readonly members = new Map<number, { readonly user: User; readonly role: OrganizationRole }>();
  readonly teams: Team[] = [];
  basePermission: RoleName | 'none' = 'read';

  constructor(
    state: SimulatedGitHubState,
    spec: AccountSpec,
    /** An owner, who performs every action for which a test names no user. */
    readonly founder: User,
  ) {
    super(state, spec);
    this.members.set(founder.id, { user: founder, role: 'admin' });
  }

  get apiUrl(): string {
    return `${this.state.url}/orgs/${encodeURIComponent(this.login)}`;
  }

  repositories(): readonly Repository[] {
    return this.state.repositories.ownedBy(this);
  }

  createRepository(spec: RepositorySpec): Repository {
    const repository = this.state.repositories.add(new Repository(this, spec));
    for (const installation of this.state.installations.of(this)) {
      if (installation.selection === 'all') installation.announceAdded([repository]);
    }
    repository.announce('created', this.founder);
    repository.seed(spec.files ?? { 'README.md': `# ${spec.name}\n` });
    return repository;
  }

  addMember(user: User, role: OrganizationRole = 'member', by: User = this.founder): void {
    const isNew = !this.members.has(user.id);
    this.members.set(user.id, { user, role });
    if (isNew) this.announceMember('member_added', user, role, by);
  }

  removeMember(user: User, by: User = this.founder): void {
    const membership = this.members.get(user.id);
    if (!membership) return;
    for (const team of this.teams) if (team.has(user)) team.removeMember(user, by);
    this.members.delete(user.id);
    this.announceMember('member_removed', user, membership.role, by);
  }

  createTeam(name: string, members: readonly User[] = [], by: User = this.founder): Team {
    const team = new Team(this, name);
    this.teams.push(team);
    this.state.emit('team', { action: 'created', team: teamView(team), sender: userView(by) }, { organization: this });
    for (const member of members) team.addMember(member, by);
    return team;
  }

  findTeam(slug: string): Team | null {
    return this.teams.find((team) => team.slug === slug.toLowerCase()) ?? null;
  }

  rename(login: string, by: User = this.founder): void {
    const from = this.login;
    for (const repository of this.repositories()) this.state.repositories.recordName(repository);
    this.state.accounts.rename(this, login);
    const changes = { login: { from } };
    this.state.emit('organization', { action: 'renamed', changes, sender: userView(by) }, { organization: this });
    for (const installation of this.state.installations.of(this)) installation.announceTargetRenamed(from, by);
  }

  /** Removes the organization with its repositories, teams and installations. */
  delete(by: User = this.founder): void {
    this.state.emit('organization', { action: 'deleted', sender: userView(by) }, { organization: this });
    for (const repository of this.repositories()) repository.delete(by);
    for (const installation of this.state.installations.of(this)) installation.delete(by);
    this.state.accounts.remove(this);
  }

  private announceMember(action: string, user: User, role: OrganizationRole, by: User): void {
    const membership = membershipView(this, user, role);
    const payload = { action, membership, organization: organizationSummary(this), sender: userView(by) };
    this.state.emit('organization', payload, { organization: this });
  }
}
