import type { Organization } from '../../github-sim/state/organization.js';
import { type JsonAnswer, signIn, type UserSession } from '../../support/user-session.js';
import type { TestEnvironment } from '../../support/test-environment.js';
import { PLAIN_POLICY, RepositoryScenario } from './repository-scenario.js';

/** Shorter than the idle timeout of a session. */
const WAIVED_MS = 6 * 3_600_000;

/** A release of a repository, with every action of admins on it. */
export class OverrideScenario extends RepositoryScenario {
  constructor(
    env: TestEnvironment,
    readonly version: string,
    spec: { readonly name: string; readonly sdlc?: string; readonly organization?: Organization },
  ) {
    // The admins have no access on GitHub, so they cannot read a private repository.
    super(env, { sdlc: PLAIN_POLICY, private: false, ...spec });
  }

  async id(): Promise<string> {
    const [row] = await this.env.asSuperuser<{ id: string }>(
      `select r.id from release r join repository p on p.id = r.repository_id
       where p.github_id = ${this.repository.id} and r.version = '${this.version}' and r.deleted_at is null`,
    );
    if (!row) throw new Error(`the service has not stored ${this.version}`);
    return row.id;
  }

  /** Brings the release to TESTING with a failed test. Returns its candidate. */
  async red(): Promise<string> {
    this.milestone(this.version);
    const sha = this.commit();
    await this.env.waitUntilIdle();
    const { status } = await this.run(sha).uploadTests(this.version, 3, 1);
    if (status !== 201) throw new Error(`the upload was answered with ${status}`);
    await this.env.waitUntilIdle();
    return sha;
  }

  admin(login: string, organization = this.env.organization): Promise<UserSession> {
    return signIn(this.env, this.env.github.createUser({ login }), { role: 'admin', organization });
  }

  async requestWaiver(by: UserSession, changes: object = {}): Promise<JsonAnswer> {
    return by.send('POST', `/api/milestones/${await this.id()}/waivers`, this.waiverOf(changes));
  }

  waiverOf(changes: object = {}): object {
    const expiresAt = new Date(this.env.clock.now().getTime() + WAIVED_MS).toISOString();
    return { condition: 'evidence_failing', reason: 'a known flaky test', expiresAt, ...changes };
  }

  async requestBreakGlass(by: UserSession, sha: string, changes: object = {}): Promise<JsonAnswer> {
    return by.send('POST', `/api/milestones/${await this.id()}/break-glass`, {
      sha,
      reason: 'all is down',
      ...changes,
    });
  }

  async confirm(by: UserSession, kind: 'waivers' | 'break-glass', { body }: JsonAnswer): Promise<JsonAnswer> {
    return by.send('POST', `/api/milestones/${await this.id()}/${kind}/${String(body['id'])}/confirm`);
  }

  async withdraw(by: UserSession, kind: 'waivers' | 'break-glass', { body }: JsonAnswer): Promise<JsonAnswer> {
    return by.send('DELETE', `/api/milestones/${await this.id()}/${kind}/${String(body['id'])}`);
  }
}
