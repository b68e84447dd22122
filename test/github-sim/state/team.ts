import { teamView } from '../views/team-view.js';
import { userView } from '../views/user-view.js';
import type { Organization } from './organization.js';
import type { Repository } from './repository.js';
import type { RoleName } from './role.js';
import type { User } from './user.js';

/** A team of an organization: its members, and its role in each repository that it was given. */
export class Team {
  readonly id: number;
  readonly createdAt: Date;
  readonly members = new Map<number, User>();
  readonly grants = new Map<number, RoleName>();

  constructor(
    readonly organization: Organization,
    public name: string,
  ) {
    this.id = organization.state.nextId();
    this.createdAt = organization.state.now();
  }

  get slug(): string {
    return this.name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '');
  }

  get apiUrl(): string {
    return `${this.organization.state.url}/organizations/${this.organization.id}/team/${this.id}`;
  }

  has(user: User): boolean {
    return this.members.has(user.id);
  }

  /** Adds a user to the team, and to the organization if necessary, like an accepted invitation. */
  addMember(user: User, by: User = this.organization.founder): void {
    if (!this.organization.members.has(user.id)) this.organization.addMember(user, 'member', by);
    this.members.set(user.id, user);
    this.announceMembership('added', user, by);
  }

  removeMember(user: User, by: User = this.organization.founder): void {
    if (this.members.delete(user.id)) this.announceMembership('removed', user, by);
  }

  grant(repository: Repository, role: RoleName, by: User = this.organization.founder): void {
    this.grants.set(repository.id, role);
    const payload = { action: 'added_to_repository', team: teamView(this, role), sender: userView(by) };
    this.organization.state.emit('team', payload, { organization: this.organization, repository });
  }

  rename(name: string, by: User = this.organization.founder): void {
    const changes = { name: { from: this.name } };
    this.name = name;
    this.announce({ action: 'edited', changes }, by);
  }

  delete(by: User = this.organization.founder): void {
    this.organization.teams.splice(this.organization.teams.indexOf(this), 1);
    this.announce({ action: 'deleted' }, by);
  }

  private announce(payload: object, by: User): void {
    const { organization } = this;
    organization.state.emit('team', { ...payload, team: teamView(this), sender: userView(by) }, { organization });
  }

  private announceMembership(action: 'added' | 'removed', user: User, by: User): void {
    const { organization } = this;
    const payload = { action, scope: 'team', member: userView(user), team: teamView(this), sender: userView(by) };
    organization.state.emit('membership', payload, { organization });
  }
}
