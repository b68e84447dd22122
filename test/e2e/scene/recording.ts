import { type JsonAnswer, type UserSession, signIn } from '../../support/signed-in.js';
import type { TestEnvironment } from '../../support/world.js';
import { OverrideScene } from './override-scene.js';
import { PLAIN_POLICY } from './repository-scene.js';

/** The version of every release that is recorded here. */
export const VERSION = 'v1.0.0';

/** An admin who tells of deployments. */
export class ManualDeploymentScenario {
  private constructor(
    private readonly world: TestEnvironment,
    public ada: UserSession,
  ) {}

  static async in(world: TestEnvironment): Promise<ManualDeploymentScenario> {
    return new ManualDeploymentScenario(
      world,
      await signIn(world, world.github.createUser({ login: 'ada' }), { role: 'admin' }),
    );
  }

  /** A session that ended with its time begins again. */
  async comeBack(): Promise<void> {
    this.ada = await signIn(this.world, this.ada.user, { role: 'admin' });
  }

  sceneOf(name: string, sdlc = PLAIN_POLICY): OverrideScene {
    return new OverrideScene(this.world, VERSION, { name, sdlc });
  }

  async record(scene: OverrideScene, more: object = {}, by = this.ada): Promise<JsonAnswer> {
    return by.send('POST', '/api/history', { milestoneId: await scene.id(), ...more });
  }

  async historyOf(name: string): Promise<readonly object[]> {
    return (await this.ada.get(`/api/history?repository=acme/${name}`)).body['history'] as readonly object[];
  }

  async stageOf(scene: OverrideScene): Promise<unknown> {
    return (await scene.gate(VERSION)).current_stage;
  }
}
