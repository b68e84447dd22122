import { type SignedIn, signedIn } from '../../support/signed-in.js';
import type { World } from '../../support/world.js';
import { OverrideScene } from './override-scene.js';

/** What two admins may decide about, and a member who may not. */
export interface RedRelease {
  readonly ada: SignedIn;
  readonly bob: SignedIn;
  readonly mia: SignedIn;
  readonly scene: OverrideScene;
  /** The candidate, of which a test fails. */
  readonly sha: string;
}

/** Two admins of the workspace and a member, before one release after the other. */
export class TwoAdmins {
  /** How many releases there were. */
  begun = 0;

  private constructor(
    private readonly world: World,
    private people: readonly [ada: SignedIn, bob: SignedIn, mia: SignedIn],
  ) {}

  static async of(world: World): Promise<TwoAdmins> {
    const person = (login: string): Promise<SignedIn> => signedIn(world, world.github.createUser({ login }));
    return new TwoAdmins(world, [await person('ada'), await person('bob'), await person('mia')]);
  }

  /** A release of its own in TESTING; the three are what they were, whatever became of them. */
  async begin(): Promise<RedRelease> {
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
  setRole({ user }: SignedIn, role: 'admin' | 'member'): Promise<SignedIn> {
    return signedIn(this.world, user, { role });
  }
}
