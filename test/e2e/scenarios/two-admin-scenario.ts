import { type UserSession, signIn } from '../../support/user-session.js';
import type { TestEnvironment } from '../../support/test-environment.js';
import { OverrideScenario } from './override-scenario.js';

/** What two admins may decide about, and a member who may not. */
export interface FailingRelease {
  readonly ada: UserSession;
  readonly bob: UserSession;
  readonly mia: UserSession;
  readonly scenario: OverrideScenario;
  /** The candidate, of which a test fails. */
  readonly sha: string;
}

/** Two admins of the workspace and a member, before one release after the other. */
export class TwoAdminScenario {
  /** How many releases there were. */
  begun = 0;

  private constructor(
    private readonly env: TestEnvironment,
    private users: readonly [ada: UserSession, bob: UserSession, mia: UserSession],
  ) {}

  static async of(env: TestEnvironment): Promise<TwoAdminScenario> {
    const user = (login: string): Promise<UserSession> => signIn(env, env.github.createUser({ login }));
    return new TwoAdminScenario(env, [await user('ada'), await user('bob'), await user('mia')]);
  }

  /** A release of its own in TESTING; the three are what they were, whatever became of them. */
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

  /** The person in another session, and in another role from now on. */
  setRole({ user }: UserSession, role: 'admin' | 'member'): Promise<UserSession> {
    return signIn(this.env, user, { role });
  }
}
