import { randomUUID } from 'node:crypto';
import type { MemberRole } from '../../src/auth/user.js';
import type { KeyScope } from '../../src/domain/keys/key-scope.js';
import { OverrideScenario } from '../e2e/scenarios/override-scenario.js';
import type { Organization } from '../github-sim/state/organization.js';
import type { Repository } from '../github-sim/state/repository.js';
import type { User } from '../github-sim/state/user.js';
import { CiRunClient } from '../support/ci-run-client.js';
import { givenUserToken } from '../support/given-user-token.js';
import { type UserSession, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';

// Below every id that the simulated GitHub assigns, so that it can be configured before any user has one.
const OPERATOR = { id: 4_711, login: 'olga', name: 'Olga' } as unknown as User;

export const VERSION = 'v1.0.0';

/**
 * A workspace `acme` with one object of each kind that an id can name, and another workspace `elsewhere` whose members
 * must not reach it. Each requested user is new and has its own session, so that no test changes the session of
 * another.
 */
export class AccessScenario {
  private userCount = 0;
  private readonly keys = new Map<string, Promise<string>>();
  private requestedReleases = 0;
  private redRelease: Promise<OverrideScenario> | null = null;
  private closedPull: Promise<OverrideScenario> | null = null;
  private openRelease: Promise<OverrideScenario> | null = null;
  private openRepository: Promise<string> | null = null;
  private bareRepository: Promise<string> | null = null;
  private outdatedRepository: Promise<string> | null = null;

  private constructor(
    readonly env: TestEnvironment,
    readonly elsewhere: Organization,
    readonly repository: Repository,
    /** The admin who creates the objects in the workspace. */
    readonly admin: UserSession,
  ) {}

  static async start(): Promise<AccessScenario> {
    const env = await TestEnvironment.start({ PLATFORM_ADMINS: String(OPERATOR.id) });
    const repository = env.github.createRepository(env.organization, { name: 'payments' });
    repository.milestones.create({ title: VERSION });
    await env.install();
    const elsewhere = env.github.createOrganization({ login: 'elsewhere' });
    await env.install(elsewhere);
    const admin = await signIn(env, env.github.createUser({ login: 'ada' }), { role: 'admin' });
    return new AccessScenario(env, elsewhere, repository, admin);
  }

  /** Creates a user. Without a role the user is no member of a workspace. */
  createUser(role: MemberRole | null, organization: Organization = this.env.organization): Promise<UserSession> {
    this.userCount += 1;
    const user = this.env.github.createUser({ login: `person-${this.userCount}` });
    return signIn(this.env, user, { role, organization });
  }

  async auditor(): Promise<UserSession> {
    const member = await this.createUser('member');
    const { status } = await this.admin.send('PUT', `/api/team/members/${member.user.id}/auditor`);
    if (status !== 200) throw new Error(`the member does not become an auditor: ${status}`);
    return member;
  }

  /** Deletes the sessions and keys of all users except the one who creates objects. */
  async sendHome(): Promise<void> {
    await this.env.asSuperuser(`
      update session set ended_at = now() where ended_at is null and user_id <> ${this.admin.user.id};
      delete from personal_key`);
  }

  operator(): Promise<UserSession> {
    return signIn(this.env, OPERATOR, { role: null });
  }

  /** Returns the same key for the same scopes, because a workspace may have only a hundred keys. */
  key(...scopes: readonly KeyScope[]): Promise<string> {
    const name = scopes.join(' ');
    const key = this.keys.get(name) ?? this.env.key(scopes);
    this.keys.set(name, key);
    return key;
  }

  identityToken(): Promise<string> {
    const sha = this.repository.git.branchHead(this.repository.defaultBranch) ?? '';
    return new CiRunClient(this.env, this.repository, { sha, environment: 'production' }).token();
  }

  /** The id of a repository that is set up and that every member can read. */
  async openRepositoryId(): Promise<string> {
    this.openRepository ??= this.makeOpenRepository();
    return this.openRepository;
  }

  /** The id of a repository that every member can read and that is not set up until an authorized user requests it. */
  async bareRepositoryId(): Promise<string> {
    this.bareRepository ??= this.makeBareRepository();
    return this.bareRepository;
  }

  /** The id of a repository that every member can read, with workflow files of an earlier revision until an update is requested. */
  async outdatedRepositoryId(): Promise<string> {
    this.outdatedRepository ??= this.makeOutdatedRepository();
    return this.outdatedRepository;
  }

  async apiKeyId(): Promise<string> {
    return idOf(await this.make('/api/settings/api-keys', { name: 'ci', scopes: ['gate:read'] }));
  }

  /** Creates a personal key of the user. Returns its id and its secret. */
  async personalKey(of: UserSession): Promise<{ readonly id: string; readonly secret: string }> {
    const created = await this.make('/api/settings/mcp-keys', { name: 'editor', scope: 'write' }, of);
    return { id: idOf(created), secret: String(created['key']) };
  }

  /** An invite that any user can accept. */
  async invite(): Promise<{ readonly id: string; readonly token: string }> {
    const created = await this.make('/api/team/invites', { role: 'member' });
    const [, token = ''] = String(created['url']).split('#');
    return { id: idOf(created), token };
  }

  /** The id of the only open upgrade request. */
  async upgradeRequestId(): Promise<string> {
    await this.givePlan('free');
    return idOf(await this.make('/api/billing/upgrade-requests', {}));
  }

  /** Sets the plan and deletes the open upgrade request. */
  async givePlan(plan: 'free' | 'pro'): Promise<void> {
    await this.env.asSuperuser(
      `delete from upgrade_request; update organization set plan = '${plan}' where login = 'acme'`,
    );
  }

  private async makeOpenRepository(): Promise<string> {
    const { id } = this.env.github.createRepository(this.env.organization, { name: 'orders', private: false });
    await this.env.waitUntilIdle();
    const [row] = await this.env.asSuperuser<{ readonly id: string }>(
      `insert into repository_setup (org_id, repository_id, attempt, step, requested_by, begun_at, took_place, changed_at)
       select org_id, id, gen_random_uuid(), 'complete', 1, now(), true, now() from repository where github_id = ${id}
       returning repository_id as id`,
    );
    if (!row) throw new Error('the service has not stored the repository');
    return row.id;
  }

  private async makeOutdatedRepository(): Promise<string> {
    const spec = { name: 'outdated', private: false, files: { 'README.md': 'Old.' } };
    const { id } = this.env.github.createRepository(this.env.organization, spec);
    await this.env.waitUntilIdle();
    const [row] = await this.env.asSuperuser<{ readonly id: string }>(
      `insert into workflow_installation (org_id, repository_id, installed_revision, custom_ci, installed_at)
       select org_id, id, '0000000000000001', true, now() from repository where github_id = ${id}
       returning repository_id as id`,
    );
    if (!row) throw new Error('the service has not stored the repository');
    return row.id;
  }

  private async makeBareRepository(): Promise<string> {
    const spec = { name: 'bare', private: false, files: { 'README.md': 'Bare.' } };
    const { id } = this.env.github.createRepository(this.env.organization, spec);
    await this.env.waitUntilIdle();
    const [row] = await this.env.asSuperuser<{ readonly id: string }>(
      `select id from repository where github_id = ${id}`,
    );
    if (!row) throw new Error('the service has not stored the repository');
    return row.id;
  }

  /** The ids of a new project and of its repository. */
  async project(): Promise<{ readonly id: string; readonly repoId: string }> {
    const [id, repoId] = [
      idOf(await this.make('/api/projects', { name: randomUUID() })),
      await this.openRepositoryId(),
    ];
    const { status } = await this.admin.send('PUT', `/api/projects/${id}/repos/${repoId}`);
    if (status !== 200) throw new Error(`the repository is not put into the project: ${status}`);
    return { id, repoId };
  }

  async freezeId(): Promise<string> {
    await this.env.asSuperuser('delete from deployment_freeze');
    return idOf(await this.make('/api/freezes', { from: '2099-12-20', to: '2099-12-31', reason: 'year end' }));
  }

  /** The release for overrides: one of its tests failed. */
  async overridden(): Promise<OverrideScenario> {
    this.redRelease ??= (async () => {
      const scenario = new OverrideScenario(this.env, VERSION, { name: 'overridden' });
      await scenario.red();
      return scenario;
    })();
    return this.redRelease;
  }

  /** A release that can be created in the repository of that release; the given user gets the permission on GitHub. */
  async releaseOrder(by: UserSession | null): Promise<{ readonly repoId: string; readonly version: string }> {
    const { repository } = await this.overridden();
    if (by !== null) {
      repository.setCollaborator(by.user, 'write');
      await givenUserToken(this.env, by.user);
    }
    const [row] = await this.env.asSuperuser<{ readonly id: string }>(
      `select id from repository where github_id = ${repository.id}`,
    );
    if (!row) throw new Error('the service has not stored the repository');
    this.requestedReleases += 1;
    return { repoId: row.id, version: `v2.${this.requestedReleases}.0` };
  }

  /** The id of a release whose evidence pull request was closed unmerged. */
  async closedPullId(): Promise<string> {
    this.closedPull ??= (async () => {
      const scenario = new OverrideScenario(this.env, VERSION, { name: 'unmerged' });
      await scenario.evidencing(VERSION);
      return scenario;
    })();
    const scenario = await this.closedPull;
    // A test may have reopened it.
    await this.env.waitUntilIdle();
    scenario.repository.pulls.close(scenario.evidencePull(VERSION));
    await this.env.waitUntilIdle();
    return scenario.id();
  }

  /** An issue that can be linked to that release; the given user gets the permission on GitHub. */
  async linkableIssue(by: UserSession | null): Promise<number> {
    const { repository } = await this.overridden();
    if (by !== null) {
      repository.setCollaborator(by.user, 'triage');
      await givenUserToken(this.env, by.user);
    }
    return repository.issues.create({ title: 'To be linked' }).number;
  }

  async governedRepositoryId(): Promise<string> {
    return (await this.overridden()).repositoryId();
  }

  async overriddenId(): Promise<string> {
    return (await this.overridden()).id();
  }

  /** The id of a release whose gate is open and that was not deployed. */
  async deployableId(): Promise<string> {
    this.openRelease ??= (async () => {
      const scenario = new OverrideScenario(this.env, VERSION, { name: 'deployable' });
      await scenario.approved(VERSION);
      return scenario;
    })();
    const id = await (await this.openRelease).id();
    await this.env.asSuperuser(`delete from deployment_record where release_id = '${id}'`);
    await this.env.asSuperuser(
      `update release set shipped_at = null, shipped = null, stage = 'DEPLOYMENT' where id = '${id}'`,
    );
    return id;
  }

  /** The ids of evidence of that release, and of a report of it. */
  async report(): Promise<{ readonly id: string; readonly reportId: string }> {
    const [row] = await this.env.asSuperuser<{ id: string; reportId: string }>(
      `select e.id, r.id as "reportId" from evidence e join evidence_report r on r.evidence_id = e.id
       where e.release_id = '${await this.overriddenId()}' limit 1`,
    );
    return { id: idOf(row ?? {}), reportId: row?.reportId ?? '' };
  }

  /** The last decision on that release. */
  async decisionId(): Promise<string> {
    const [row] = await this.env.asSuperuser<{ id: string }>(
      `select id from decision where release_id = '${await this.overriddenId()}' order by sequence desc limit 1`,
    );
    return idOf(row ?? {});
  }

  /** The id of the only waiver of that release. It waits for a confirmation. */
  async waiverId(): Promise<string> {
    const { id, waiverOf } = await this.overriddenWithout('waiver');
    return idOf(await this.make(`/api/milestones/${id}/waivers`, waiverOf));
  }

  /** The id of the only break-glass request of that release. It waits for a confirmation. */
  async breakGlassId(): Promise<string> {
    const { id, sha } = await this.overriddenWithout('break_glass_request');
    return idOf(await this.make(`/api/milestones/${id}/break-glass`, { sha, reason: 'all is down' }));
  }

  private async overriddenWithout(table: string): Promise<{ id: string; waiverOf: object; sha: string }> {
    const scenario = await this.overridden();
    await this.env.asSuperuser('delete from waiver');
    await this.env.asSuperuser(`delete from ${table}`);
    return { id: await scenario.id(), waiverOf: scenario.waiverOf(), sha: scenario.head() };
  }

  private async make(path: string, body: object, by = this.admin): Promise<Readonly<Record<string, unknown>>> {
    const answer = await by.send('POST', path, body);
    if (answer.status !== 201) throw new Error(`POST ${path} answers ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
}

function idOf(body: Readonly<Record<string, unknown>>): string {
  const { id } = body;
  if (typeof id !== 'string') throw new TypeError(`no id in ${Object.keys(body).join(', ')}`);
  return id;
}
