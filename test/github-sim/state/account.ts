import type { SimulatedGitHubState } from './simulated-github-state.js';

export interface AccountSpec {
  readonly login: string;
  readonly name?: string;
}

/** A user, a bot or an organization. The id identifies the account, because its login can pass to another one. */
export abstract class Account {
  readonly id: number;
  readonly createdAt: Date;
  login: string;
  name: string;
  abstract readonly type: 'User' | 'Bot' | 'Organization';

  constructor(
    readonly state: SimulatedGitHubState,
    spec: AccountSpec,
  ) {
    this.id = state.nextId();
    this.createdAt = state.now();
    this.login = spec.login;
    this.name = spec.name ?? spec.login;
  }

  get htmlUrl(): string {
    return `${this.state.url}/${encodeURIComponent(this.login)}`;
  }
}
