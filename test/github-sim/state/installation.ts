import { installationView } from '../views/installation-view.js';
import { installationTargetView } from '../views/organization-view.js';
import { repositoryReference } from '../views/repository-view.js';
import { userView } from '../views/user-view.js';
import { nodeId } from '../views/wire.js';
import type { App } from './app.js';
import type { Organization } from './organization.js';
import type { Permissions } from './permission.js';
import type { Repository } from './repository.js';
import type { User } from './user.js';

export interface InstallationSpec {
  readonly repositories: 'all' | readonly Repository[];
  /** The permissions that the owner granted; by default all that the app requests. */
  readonly permissions?: Permissions;
  readonly by?: User;
}

/** An installation of an app in an organization, with its repositories and permissions. */
export class Installation {
  readonly id: number;
  readonly createdAt: Date;
  permissions: Permissions;
  selection: 'all' | 'selected';
  suspendedAt: Date | null = null;
  suspendedBy: User | null = null;
  private readonly selectedIds: Set<number>;

  constructor(
    readonly app: App,
    readonly organization: Organization,
    spec: InstallationSpec,
  ) {
    this.id = app.state.nextId();
    this.createdAt = app.state.now();
    this.permissions = spec.permissions ?? app.permissions;
    this.selection = spec.repositories === 'all' ? 'all' : 'selected';
    this.selectedIds = new Set(spec.repositories === 'all' ? [] : spec.repositories.map(({ id }) => id));
  }

  covers(repository: Repository): boolean {
    if (repository.owner !== this.organization) return false;
    return this.selection === 'all' || this.selectedIds.has(repository.id);
  }

  repositories(): readonly Repository[] {
    return this.organization.repositories().filter((repository) => this.covers(repository));
  }

  addRepositories(repositories: readonly Repository[], by: User = this.organization.founder): void {
    for (const { id } of repositories) this.selectedIds.add(id);
    this.announceAdded(repositories, by);
  }

  removeRepositories(repositories: readonly Repository[], by: User = this.organization.founder): void {
    for (const { id } of repositories) this.selectedIds.delete(id);
    this.announceRepositories('removed', repositories, by);
  }

  /** Removes a deleted repository from the selection. A new repository of the same name is not in it. */
  remove(repository: Repository): void {
    this.selectedIds.delete(repository.id);
  }

  suspend(by: User = this.organization.founder): void {
    this.suspendedAt = this.app.state.now();
    this.suspendedBy = by;
    this.announce('suspend', by);
  }

  unsuspend(by: User = this.organization.founder): void {
    this.suspendedAt = null;
    this.suspendedBy = null;
    this.announce('unsuspend', by);
  }

  /** Changes the permissions, as the owner does by accepting new ones. Existing tokens stay unchanged. */
  accept(permissions: Permissions, by: User = this.organization.founder): void {
    this.permissions = permissions;
    this.announce('new_permissions_accepted', by);
  }

  delete(by: User = this.organization.founder): void {
    this.announce('deleted', by);
    this.app.state.tokens.revokeAllOf(this);
    this.app.state.installations.remove(this);
  }

  announce(action: 'created' | 'deleted' | 'suspend' | 'unsuspend' | 'new_permissions_accepted', by: User): void {
    const repositories = this.repositories().map(repositoryReference);
    const payload = { action, installation: installationView(this), repositories, sender: userView(by) };
    this.app.state.send('installation', payload, this);
  }

  announceAdded(repositories: readonly Repository[], by: User = this.organization.founder): void {
    this.announceRepositories('added', repositories, by);
  }

  announceTargetRenamed(from: string, by: User): void {
    const payload = {
      action: 'renamed',
      target_type: 'Organization',
      account: installationTargetView(this.organization),
      changes: { login: { from } },
      installation: { id: this.id, node_id: nodeId('Installation', this.id) },
      sender: userView(by),
    };
    this.app.state.send('installation_target', payload, this);
  }

  private announceRepositories(action: 'added' | 'removed', repositories: readonly Repository[], by: User): void {
    const references = repositories.map(repositoryReference);
    const payload = {
      action,
      installation: installationView(this),
      repository_selection: this.selection,
      repositories_added: action === 'added' ? references : [],
      repositories_removed: action === 'removed' ? references : [],
      requester: null,
      sender: userView(by),
    };
    this.app.state.send('installation_repositories', payload, this);
  }
}
