import type { Organization } from '../../github-sim/state/organization.js';
import { type JsonAnswer, signIn, type UserSession } from '../../support/signed-in.js';
import type { TestEnvironment } from '../../support/world.js';
import { PLAIN_POLICY, RepositoryScene } from './repository-scene.js';

/** Shorter than a session stays open while nobody uses it. */
const WAIVED_MS = 6 * 3_600_000;

/** A release of a repository with everything that admins may do about it. */
export class OverrideScene extends RepositoryScene {
  constructor(
    world: TestEnvironment,
    readonly version: string,
    spec: { readonly name: string; readonly sdlc?: string; readonly organization?: Organization },
  ) {
    // Whoever is only said to be an admin may read no private one.
    super(world, { sdlc: PLAIN_POLICY, private: false, ...spec });
  }

  async id(): Promise<string> {
    const [row] = await this.world.asSuperuser<{ id: string }>(
      `select r.id from release r join repository p on p.id = r.repository_id
       where p.github_id = ${this.repository.id} and r.version = '${this.version}' and r.deleted_at is null`,
    );
    if (!row) throw new Error(`the service does not know ${this.version}`);
    return row.id;
  }

  /** Brings the release to TESTING with a red test; the answer is its candidate. */
  async red(): Promise<string> {
    this.milestone(this.version);
    const sha = this.commit();
    await this.world.settle();
    const { status } = await this.run(sha).uploadTests(this.version, 3, 1);
    if (status !== 201) throw new Error(`the upload was answered with ${status}`);
    await this.world.settle();
    return sha;
  }

  admin(login: string, organization = this.world.organization): Promise<UserSession> {
    return signIn(this.world, this.world.github.createUser({ login }), { role: 'admin', organization });
  }

  async askForWaiver(by: UserSession, changes: object = {}): Promise<JsonAnswer> {
    return by.send('POST', `/api/milestones/${await this.id()}/waivers`, this.waiverOf(changes));
  }

  waiverOf(changes: object = {}): object {
    const expiresAt = new Date(this.world.clock.now().getTime() + WAIVED_MS).toISOString();
    return { condition: 'evidence_failing', reason: 'a known flaky test', expiresAt, ...changes };
  }

  async askToBreakGlass(by: UserSession, sha: string, changes: object = {}): Promise<JsonAnswer> {
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
