import type { Sha } from '../git/git-object.js';
import { GitRepository, type FileEdits } from '../git/git-repository.js';
import { userView } from '../views/user-view.js';
import type { App } from './app.js';
import { Attestations } from './attestations.js';
import { BranchChangeNotifier } from './branch-change-notifier.js';
import { CheckRuns } from './check-runs.js';
import { CommitStatuses } from './commit-statuses.js';
import { Deployments } from './deployments.js';
import { Environments } from './environments.js';
import { Issues } from './issues.js';
import { Milestones } from './milestones.js';
import type { Organization } from './organization.js';
import { Pulls } from './pulls.js';
import { strongestRole, type RoleName } from './role.js';
import { Rulesets } from './rulesets.js';
import type { User } from './user.js';
import { WorkflowRuns } from './workflow-runs.js';
import type { SimulatedGitHubState } from './simulated-github-state.js';

export interface RepositorySpec {
  readonly name: string;
  readonly private?: boolean;
  readonly defaultBranch?: string;
  /** The files of the first commit. An empty object creates a repository without a commit. */
  readonly files?: FileEdits;
}

interface CommitSpec {
  readonly branch?: string;
  readonly files: FileEdits;
  readonly message?: string;
  readonly author?: User;
  readonly committer?: User;
}

/** A repository: its git objects and refs, its issues, pull requests and checks, and its access rights. */
export class Repository {
  readonly state: SimulatedGitHubState;
  readonly id: number;
  readonly createdAt: Date;
  readonly git = new GitRepository();
  readonly collaborators = new Map<number, { readonly user: User; readonly role: RoleName }>();
  readonly milestones = new Milestones(this);
  readonly issues = new Issues(this);
  readonly pulls = new Pulls(this);
  readonly checkRuns = new CheckRuns(this);
  readonly statuses = new CommitStatuses(this);
  readonly attestations = new Attestations(this);
  readonly deployments = new Deployments(this);
  readonly environments = new Environments(this);
  readonly rulesets = new Rulesets(this);
  readonly workflowRuns = new WorkflowRuns(this);
  name: string;
  private: boolean;
  archived = false;
  defaultBranch: string;
  pushedAt: Date;
  private readonly branchEvents = new BranchChangeNotifier(this);
  private lastNumber = 0;

  constructor(
    readonly owner: Organization,
    spec: RepositorySpec,
  ) {
    this.state = owner.state;
    this.id = this.state.nextId();
    this.createdAt = this.state.now();
    this.pushedAt = this.createdAt;
    this.name = spec.name;
    this.private = spec.private ?? true;
    this.defaultBranch = spec.defaultBranch ?? 'main';
  }

  get fullName(): string {
    return `${this.owner.login}/${this.name}`;
  }

  get apiUrl(): string {
    return `${this.state.url}/repos/${this.fullName}`;
  }

  get htmlUrl(): string {
    return `${this.state.url}/${this.fullName}`;
  }

  /** The next number of an issue or pull request, which share one sequence. */
  nextNumber(): number {
    this.lastNumber += 1;
    return this.lastNumber;
  }

  seed(files: FileEdits): void {
    if (Object.keys(files).length > 0) this.commit({ files, message: 'Initial commit' });
  }

  /** Commits edits on top of a branch and pushes it. A new branch starts at the default branch. */
  commit({ branch = this.defaultBranch, files, message = 'Update files', author, committer }: CommitSpec): Sha {
    const by = author ?? this.owner.founder;
    const parent = this.git.branchHead(branch) ?? this.git.branchHead(this.defaultBranch);
    const signature = by.signature();
    const sha = this.git.commitEdits(
      parent === null ? [] : [parent],
      files,
      message,
      signature,
      committer?.signature(),
    );
    this.setBranch(branch, sha, committer ?? by);
    return sha;
  }

  createBranch(name: string, sha: Sha, by: User = this.owner.founder): void {
    if (this.git.branchHead(name) !== null) throw new Error(`The branch ${name} exists`);
    this.setBranch(name, sha, by);
  }

  /** Moves a branch to a commit, with force if necessary. Sends the push event and updates the pull requests. */
  setBranch(name: string, sha: Sha, by: User = this.owner.founder): void {
    const before = this.git.branchHead(name);
    if (before === sha) return;
    this.git.store.commit(sha);
    this.git.refs.set(`refs/heads/${name}`, sha);
    this.pushedAt = this.state.now();
    this.branchEvents.announceMove(name, before, sha, by);
    this.pulls.branchMoved(name, before, sha, by);
  }

  deleteBranch(name: string, by: User = this.owner.founder): void {
    const before = this.git.branchHead(name);
    if (before === null) throw new Error(`There is no branch ${name}`);
    this.git.refs.delete(`refs/heads/${name}`);
    this.branchEvents.announceDeletion(name, before, by);
    this.pulls.branchDeleted(name, by);
  }

  roleOf(user: User): RoleName | 'none' {
    const membership = this.owner.members.get(user.id);
    const teamRoles = this.owner.teams.flatMap((team) => (team.has(user) ? (team.grants.get(this.id) ?? []) : []));
    return strongestRole([
      ...teamRoles,
      this.collaborators.get(user.id)?.role ?? 'none',
      membership?.role === 'admin' ? 'admin' : 'none',
      membership ? this.owner.basePermission : 'none',
      this.private ? 'none' : 'read',
    ]);
  }

  /** The members of the organization and the collaborators who can read the repository, by login. */
  assignableUsers(): readonly User[] {
    const direct = [...this.owner.members.values(), ...this.collaborators.values()].map(({ user }) => user);
    const teams = this.owner.teams.flatMap((team) => [...team.members.values()]);
    return [...new Set([...direct, ...teams])]
      .filter((user) => this.roleOf(user) !== 'none')
      .sort((one, other) => one.login.localeCompare(other.login));
  }

  setCollaborator(user: User, role: RoleName, by: User = this.owner.founder): void {
    const before = this.collaborators.get(user.id);
    this.collaborators.set(user.id, { user, role });
    const changes = { old_permission: { from: before?.role ?? 'none' } };
    this.emit(
      'member',
      before ? { action: 'edited', changes, member: userView(user) } : memberPayload('added', user),
      by,
    );
  }

  removeCollaborator(user: User, by: User = this.owner.founder): void {
    if (this.collaborators.delete(user.id)) this.emit('member', memberPayload('removed', user), by);
  }

  rename(name: string, by: User = this.owner.founder): void {
    const from = this.name;
    this.state.repositories.recordName(this);
    this.name = name;
    this.emit('repository', { action: 'renamed', changes: { repository: { name: { from } } } }, by);
  }

  archive(by: User = this.owner.founder): void {
    this.archived = true;
    this.announce('archived', by);
  }

  changeVisibility(visibility: 'private' | 'public', by: User = this.owner.founder): void {
    this.private = visibility === 'private';
    this.announce(this.private ? 'privatized' : 'publicized', by);
  }

  delete(by: User = this.owner.founder): void {
    this.announce('deleted', by);
    this.state.repositories.remove(this);
    for (const installation of this.state.installations.of(this.owner)) installation.remove(this);
  }

  announce(action: 'created' | 'deleted' | 'archived' | 'privatized' | 'publicized', by: User): void {
    this.emit('repository', { action }, by);
  }

  /** Sends an event of this repository to every app, or only to the given one. */
  emit(event: string, payload: object, by: User, app?: App): void {
    const scope = { organization: this.owner, repository: this, ...(app && { app }) };
    this.state.emit(event, { ...payload, sender: userView(by) }, scope);
  }
}

function memberPayload(action: 'added' | 'removed', user: User): object {
  return { action, member: userView(user) };
}
