import { type JsonAnswer, type UserSession, signIn } from '../../support/user-session.js';
import type { TestEnvironment } from '../../support/test-environment.js';
import { OverrideScenario } from './override-scenario.js';
import { PLAIN_POLICY } from './repository-scenario.js';

/** The version of every release in these tests. */
export const VERSION = 'v1.0.0';

/** An admin who records deployments. */
export class ManualDeploymentScenario {
  private constructor(
    private readonly env: TestEnvironment,
    public ada: UserSession,
  ) {}

  static async in(env: TestEnvironment): Promise<ManualDeploymentScenario> {
    return new ManualDeploymentScenario(
      env,
      await signIn(env, env.github.createUser({ login: 'ada' }), { role: 'admin' }),
    );
  }

  /** Signs the admin in again after the session expired. */
  async comeBack(): Promise<void> {
    this.ada = await signIn(this.env, this.ada.user, { role: 'admin' });
  }

  scenarioOf(name: string, sdlc = PLAIN_POLICY): OverrideScenario {
    return new OverrideScenario(this.env, VERSION, { name, sdlc });
  }

  async record(scenario: OverrideScenario, more: object = {}, by = this.ada): Promise<JsonAnswer> {
    return by.send('POST', '/api/history', { milestoneId: await scenario.id(), ...more });
  }

  async historyOf(name: string): Promise<readonly object[]> {
    return (await this.ada.get(`/api/history?repository=acme/${name}`)).body['history'] as readonly object[];
  }

  async stageOf(scenario: OverrideScenario): Promise<unknown> {
    return (await scenario.gate(VERSION)).current_stage;
  }
}
