import { type UserSession, signIn } from '../../support/user-session.js';
import type { TestEnvironment } from '../../support/test-environment.js';
import { OverrideScenario } from './override-scenario.js';

/** A release about which two admins can decide, and a member cannot. */
export interface FailingRelease {
  readonly ada: UserSession;
  readonly bob: UserSession;
  readonly mia: UserSession;
  readonly scenario: OverrideScenario;
  /** The candidate, with a failed test. */
  readonly sha: string;
}

/** Two admins of the workspace and a member, with one release after the other. */
export class TwoAdminScenario {
  /** The number of releases so far. */
  begun = 0;

  private constructor(
    private readonly env: TestEnvironment,
    private users: readonly [ada: UserSession, bob: UserSession, mia: UserSession],
  ) {}

  static async of(env: TestEnvironment): Promise<TwoAdminScenario> {
    const user = (login: string): Promise<UserSession> => signIn(env, env.github.createUser({ login }));
    return new TwoAdminScenario(env, [await user('ada'), await user('bob'), await user('mia')]);
  }

  /** Creates a release in TESTING, and restores the roles of the three users. */
  async begin(): Promise<FailingRelease> {
    this.begun += 1;
    const scenario = new OverrideScenario(this.env, 'v1.0.0', { name: `overridden-${this.begun}` });
    const [ada, bob, mia] = this.users;
    this.users = [
      await this.setRole(ada, 'admin'),
      await this.setRole(bob, 'admin'),
      await this.setRole(mia, 'member'),
    ];
    const [first, second, member] = this.users;
    return { ada: first, bob: second, mia: member, scenario, sha: await scenario.red() };
  }

  /** Signs the user in again, with another role from now on. */
  setRole({ user }: UserSession, role: 'admin' | 'member'): Promise<UserSession> {
    return signIn(this.env, user, { role });
  }
}
