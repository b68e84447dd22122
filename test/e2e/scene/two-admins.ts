import { type UserSession, signIn } from '../../support/signed-in.js';
import type { TestEnvironment } from '../../support/world.js';
import { OverrideScene } from './override-scene.js';

/** What two admins may decide about, and a member who may not. */
export interface FailingRelease {
  readonly ada: UserSession;
  readonly bob: UserSession;
  readonly mia: UserSession;
  readonly scene: OverrideScene;
  /** The candidate, of which a test fails. */
  readonly sha: string;
}

/** Two admins of the workspace and a member, before one release after the other. */
export class TwoAdminScenario {
  /** How many releases there were. */
  begun = 0;

  private constructor(
    private readonly world: TestEnvironment,
    private people: readonly [ada: UserSession, bob: UserSession, mia: UserSession],
  ) {}

  static async of(world: TestEnvironment): Promise<TwoAdminScenario> {
    const person = (login: string): Promise<UserSession> => signIn(world, world.github.createUser({ login }));
    return new TwoAdminScenario(world, [await person('ada'), await person('bob'), await person('mia')]);
  }

  /** A release of its own in TESTING; the three are what they were, whatever became of them. */
  async begin(): Promise<FailingRelease> {
    this.begun += 1;
    const scene = new OverrideScene(this.world, 'v1.0.0', { name: `overridden-${this.begun}` });
    const [ada, bob, mia] = this.people;
    this.people = [
      await this.setRole(ada, 'admin'),
      await this.setRole(bob, 'admin'),
      await this.setRole(mia, 'member'),
    ];
    const [first, second, member] = this.people;
    return { ada: first, bob: second, mia: member, scene, sha: await scene.red() };
  }

  /** The person in another session, and in another role from now on. */
  setRole({ user }: UserSession, role: 'admin' | 'member'): Promise<UserSession> {
    return signIn(this.world, user, { role });
  }
}
