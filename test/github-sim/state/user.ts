import type { Signature } from '../git/git-object.js';
import { Account, type AccountSpec } from './account.js';
import type { SimulatedGitHubState } from './simulated-github-state.js';

/** A person, or the bot that an app acts as. Commits belong to the account whose e-mail address they carry. */
export class User extends Account {
  /** A personal token, as a person would make it with every scope. */
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

  /** Its own address, or GitHub's private one, which leads with the id so that a successor of the login inherits nothing. */
  get email(): string {
    return this.publicEmail ?? `${this.id}+${this.login}@users.noreply.github.com`;
  }

  get apiUrl(): string {
    return `${this.state.url}/users/${encodeURIComponent(this.login)}`;
  }

  /** The line that git writes for a commit that this account makes now. */
  signature(): Signature {
    return { name: this.name, email: this.email, date: this.state.now() };
  }

  rename(login: string): void {
    this.state.accounts.rename(this, login);
  }

  /** Removes the account with its tokens and memberships; what it wrote stays, as the work of a ghost. */
  delete(): void {
    for (const organization of this.state.accounts.organizations()) {
      if (organization.members.has(this.id)) organization.removeMember(this);
      for (const repository of organization.repositories()) repository.collaborators.delete(this.id);
    }
    this.state.tokens.revokeAllOf(this);
    this.state.accounts.remove(this);
  }
}
