import type { Signature } from '../git/git-object.js';
import { Account, type AccountSpec } from './account.js';
import type { SimulatedGitHubState } from './simulated-github-state.js';

/** A user, or the bot of an app. A commit belongs to the account with its e-mail address. */
export class User extends Account {
  /** A personal token with every scope. */
  readonly token: string;
  private readonly publicEmail: string | null;

  constructor(
    state: SimulatedGitHubState,
    spec: AccountSpec & { readonly email?: string },
    readonly type: 'User' | 'Bot' = 'User',
  ) {
    super(state, spec);
    this.publicEmail = spec.email ?? null;
    this.token = type === 'User' ? state.tokens.issuePersonal(this) : '';
  }

  /**
   * The user's own address, or GitHub's private one. The private one begins with the id, so that a later owner of the
   * login does not get the commits.
   */
  get email(): string {
    return this.publicEmail ?? `${this.id}+${this.login}@users.noreply.github.com`;
  }

  get apiUrl(): string {
    return `${this.state.url}/users/${encodeURIComponent(this.login)}`;
  }

  /** The author line of a git commit at the present time. */
  signature(): Signature {
    return { name: this.name, email: this.email, date: this.state.now() };
  }

  rename(login: string): void {
    this.state.accounts.rename(this, login);
  }

  /** Deletes the account with its tokens and memberships. Its contributions remain, without an account. */
  delete(): void {
    for (const organization of this.state.accounts.organizations()) {
      if (organization.members.has(this.id)) organization.removeMember(this);
      for (const repository of organization.repositories()) repository.collaborators.delete(this.id);
    }
    this.state.tokens.revokeAllOf(this);
    this.state.accounts.remove(this);
  }
}
