import type { SimulatedGitHubState } from './world.js';

export interface AccountSpec {
  readonly login: string;
  readonly name?: string;
}

/** A user, a bot or an organization: kept by its id, while its login is a label that may change hands. */
export abstract class Account {
  readonly id: number;
  readonly createdAt: Date;
  login: string;
  name: string;
  abstract readonly type: 'User' | 'Bot' | 'Organization';

  constructor(
    readonly world: SimulatedGitHubState,
    spec: AccountSpec,
  ) {
    this.id = world.nextId();
    this.createdAt = world.now();
    this.login = spec.login;
    this.name = spec.name ?? spec.login;
  }

  get htmlUrl(): string {
    return `${this.world.url}/${encodeURIComponent(this.login)}`;
  }
}
