import { ApiRejection } from './api-rejection.js';
import type { App } from './app.js';
import type { Repository } from './repository.js';
import type { User } from './user.js';

/** The maximum number of custom rules for one environment of GitHub. */
const MAX_RULES = 6;

/** An app that must approve before a job of the environment runs. */
export interface ProtectionRule {
  readonly id: number;
  readonly app: App;
}

interface EnvironmentSpec {
  /** The users of whom one must approve. */
  readonly reviewers?: readonly User[];
  readonly waitMinutes?: number;
  readonly canAdminsBypass?: boolean;
}

/** An environment with its protection rules. */
export class Environment {
  readonly id: number;
  readonly createdAt: Date;
  readonly reviewers: readonly User[];
  readonly waitMinutes: number;
  readonly canAdminsBypass: boolean;
  readonly rules: ProtectionRule[] = [];

  constructor(
    readonly repository: Repository,
    readonly name: string,
    { reviewers = [], waitMinutes = 0, canAdminsBypass = true }: EnvironmentSpec,
  ) {
    this.id = repository.state.nextId();
    this.createdAt = repository.state.now();
    this.reviewers = reviewers;
    this.waitMinutes = waitMinutes;
    this.canAdminsBypass = canAdminsBypass;
  }

  enable(app: App): ProtectionRule {
    const isEnabled = this.rules.some((rule) => rule.app === app);
    if (isEnabled) throw new ApiRejection('invalid', 'This deployment protection rule is already enabled.');
    if (this.rules.length === MAX_RULES) throw new ApiRejection('invalid', `At most ${MAX_RULES} rules are allowed.`);
    const rule = { id: this.repository.state.nextId(), app };
    this.rules.push(rule);
    return rule;
  }

  disable(rule: ProtectionRule): void {
    this.rules.splice(this.rules.indexOf(rule), 1);
  }
}

/** The environments of a repository. No two names differ only in letter case. */
export class Environments {
  /** Whether the plan of the owner has custom rules for the repository. */
  offersRules = true;
  private readonly environments: Environment[] = [];

  constructor(private readonly repository: Repository) {}

  create(name: string, spec: EnvironmentSpec = {}): Environment {
    if (this.find(name)) throw new Error(`The environment ${name} exists`);
    const environment = new Environment(this.repository, name, spec);
    this.environments.push(environment);
    return environment;
  }

  find(name: string): Environment | null {
    return this.environments.find((one) => one.name.toLowerCase() === name.toLowerCase()) ?? null;
  }
}
