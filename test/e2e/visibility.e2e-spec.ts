import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { SessionAuthService } from '../../src/auth/session/session-auth.service.js';
import { NO_USER_ID } from '../../src/database/database.js';
import type { OrgId } from '../../src/database/ids.js';
import { MemberListSyncService } from '../../src/features/accounts/members/member-list-sync.service.js';
import { MembersRepository } from '../../src/features/accounts/members/members.repository.js';
import { ACCESS_TABLE } from '../architecture/access-table.js';
import type { Repository } from '../github-sim/state/repository.js';
import type { User } from '../github-sim/state/user.js';
import type { Browser } from '../support/browser.js';
import { TestEnvironment } from '../support/test-environment.js';
import { signInAndJoin, invited } from './scenarios/members.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';
import { VisibleRows, type RowsByTable } from './scenarios/visible-rows.js';

const MINUTE_MS = 60_000;
/** No other name in this environment contains this text. */
const PRIVATE_NAME = 'hushed';

let env: TestEnvironment;
let orgId: OrgId;
let open: RepositoryScenario;
let secret: RepositoryScenario;
let reader: User;
let outsider: User;
let browserOf: ReadonlyMap<User, Browser>;
let viewed: VisibleRows;

beforeAll(async () => {
  env = await TestEnvironment.start();
  env.organization.basePermission = 'none';
  open = new RepositoryScenario(env, { name: 'open' });
  secret = new RepositoryScenario(env, { name: PRIVATE_NAME });
  open.repository.changeVisibility('public');
  orgId = await env.install();
  for (const repo of [open, secret]) {
    repo.milestone('someday');
    const sha = await repo.evidencing('v1.0.0');
    const content = 'SF:a.ts\nDA:1,1\nend_of_record\n';
    const { status } = await repo.run(sha).upload('v1.0.0', { files: [{ filename: 'lcov.info', content }] });
    expect(status).toBe(201);
    await env.waitUntilIdle();
    repo.approve('v1.0.0');
    await env.waitUntilIdle();
    await repo.deploy(sha);
  }
  reader = secret.createCollaborator('reader', 'read');
  outsider = open.createCollaborator('outsider', 'read');
  await env.waitUntilIdle();
  const browsers = new Map<User, Browser>();
  for (const user of [reader, outsider]) {
    await invited(env, orgId, user, 'admin');
    browsers.set(user, await signInAndJoin(env, user, env.organization));
  }
  browserOf = browsers;
  viewed = await VisibleRows.of(env);
  for (const [n, { repository }] of [open, secret].entries()) await viewed.registerSecrets(repository.id, n + 1);
});
afterAll(() => env.stop());
afterEach(() => {
  env.github.faults.clear();
  expect(env.violations).toEqual([]);
});

/** The number of these rows that are among the visible ones. */
const overlap = (rows: RowsByTable, visible: RowsByTable): Record<string, number> =>
  Object.fromEntries(
    [...rows].map(([table, own]) => {
      const seen = new Set(visible.get(table));
      return [table, own.filter((row) => seen.has(row)).length];
    }),
  );
const countsOf = (rows: RowsByTable): Record<string, number> =>
  Object.fromEntries([...rows].map(([table, { length }]) => [table, length]));

describe('rows of a private repository', () => {
  it('exist in every table with a viewer policy', async () => {
    const own = countsOf(await viewed.ofRepository(secret.repository.id));
    expect(Object.keys(own)).toContain('release');
    expect(Object.entries(own).filter(([, rows]) => rows === 0)).toEqual([]);
  });

  it('are all visible to users who can read it', async () => {
    const own = await viewed.ofRepository(secret.repository.id);
    expect(overlap(own, await viewed.visibleTo(orgId, reader.id))).toEqual(countsOf(own));
  });

  it.each([
    ['who may not', () => outsider.id],
    ['of whom nothing is known', () => NO_USER_ID],
  ])('are hidden from a user %s, and those of a public one are visible', async (_, user) => {
    const visible = await viewed.visibleTo(orgId, user());
    const [own, others] = [
      await viewed.ofRepository(secret.repository.id),
      await viewed.ofRepository(open.repository.id),
    ];
    expect(Object.entries(overlap(own, visible)).filter(([, rows]) => rows > 0)).toEqual([]);
    expect(overlap(others, visible)).toEqual(countsOf(others));
  });

  it('are hidden by the policy of each table: without it they are visible', async () => {
    const own = await viewed.ofRepository(secret.repository.id);
    for (const table of viewed.tables) {
      const visible = new Set(await viewed.visibleWithoutPolicy(table, orgId, outsider.id));
      expect({ table, hidden: (own.get(table) ?? []).filter((row) => !visible.has(row)).length }).toEqual({
        table,
        hidden: 0,
      });
    }
  });

  it('are in no response to users who cannot read it, whatever happened to it', async () => {
    const by = browserOf.get(reader)!;
    const [id] = await env.asSuperuser<{ id: string }>(`select id from repository where name = '${PRIVATE_NAME}'`);
    const key = await by.post('/api/settings/api-keys', { name: 'ci', scopes: ['gate:read'], repos: [PRIVATE_NAME] });
    const project = await by.post('/api/projects', { name: 'both' });
    const link = `/api/projects/${String(project.body['id'])}/repos/${id!.id}`;
    const json = { origin: env.baseUrl, 'content-type': 'application/json' };
    expect((await by.request('PUT', link, json, '{}')).status).toBe(200);
    const sync = await by.post('/api/sync', { repoId: id!.id });
    expect([key.status, project.status, sync.status]).toEqual([201, 201, 202]);
    await env.waitUntilIdle();
    const routes = Object.entries(ACCESS_TABLE)
      .filter(([route, access]) => access.startsWith('session ') && /^GET [^:]+$/.test(route))
      .map(([route]) => route.slice('GET '.length))
      // A stream does not end by itself. `events-visibility` tests what it contains.
      .filter((route) => route !== '/api/events');
    expect(routes).toContain('/api/audit');
    for (const route of routes) {
      const page = await browserOf.get(outsider)?.goTo(route);
      expect([route, page?.status, JSON.stringify(page?.body).includes(PRIVATE_NAME)]).toEqual([
        route,
        expect.any(Number),
        false,
      ]);
    }
  });
});

describe('the rows that a user can read', () => {
  it('cause no lookup per row', async () => {
    await env.asSuperuser(
      `insert into repository (org_id, id, github_id, name, private, default_branch, created_at, updated_at)
       select '${orgId}', gen_random_uuid(), 900000 + n, 'filler-' || n, n % 2 = 0, 'main', now(), now()
       from generate_series(1, 400) n`,
    );
    await env.asSuperuser(
      `insert into ignored_milestone (org_id, repository_id, milestone_github_id, number, title, reason, seen_at)
       select r.org_id, r.id, r.github_id * 10 + n, n, 'x', 'x', now()
       from repository r cross join generate_series(1, 5) n where r.github_id > 900000`,
    );
    await env.asSuperuser('analyze');
    // One table with its own rule, and one whose rows name their repository.
    for (const table of ['repository', 'ignored_milestone']) {
      const loops = await viewed.loopsOf(table, orgId, reader.id);
      expect({ table, most: Math.max(...loops) }).toEqual({ table, most: 1 });
    }
    await env.asSuperuser(
      `delete from ignored_milestone where repository_id in (select id from repository where github_id > 900000)`,
    );
    await env.asSuperuser(`delete from repository where github_id > 900000`);
  });
});

describe('the access of a user', () => {
  /** The repositories that the user can see in a request now. */
  const seenBy = async (user: User): Promise<readonly string[]> => {
    const known = await env.database.inTenant(orgId, (tx) => env.app.get(MembersRepository).find(tx, user.id));
    const account = { id: user.id, login: user.login, name: null, avatarUrl: '' };
    const member = await env.app.get(SessionAuthService).findMember(account, known);
    if (!member) throw new Error(`${user.login} is no member`);
    return env.database.asViewer(member.viewer, async (tx) =>
      (await tx.query<{ readonly name: string }>('select name from repository order by name')).map(({ name }) => name),
    );
  };
  let founded = 0;
  /** A private repository of its own for a test, and a member who may read it. */
  const given = async (): Promise<{ repository: Repository; user: User; name: string }> => {
    founded += 1;
    const name = `private-${founded}`;
    const repository = env.github.createRepository(env.organization, { name });
    const user = env.github.createUser({ login: `person-${founded}` });
    env.organization.addMember(user);
    repository.setCollaborator(user, 'read');
    await env.waitUntilIdle();
    await invited(env, orgId, user);
    await signInAndJoin(env, user, env.organization);
    expect(await seenBy(user)).toContain(name);
    return { repository, user, name };
  };

  it('ends with the collaboration', async () => {
    const { repository, user, name } = await given();
    repository.removeCollaborator(user);
    await env.waitUntilIdle();
    expect(await seenBy(user)).not.toContain(name);
    expect(await seenBy(reader)).toContain(PRIVATE_NAME);
  });

  it('ends with it even if GitHub has not responded since, and is public data until it does', async () => {
    const { repository, user, name } = await given();
    env.github.faults.next({ kind: '5xx', times: 10_000, match: /user\/installations/ });
    repository.removeCollaborator(user);
    await env.waitUntilIdle();
    expect(await seenBy(user)).toEqual(['open']);
    env.github.faults.clear();
    env.clock.advance(MINUTE_MS);
    expect(await seenBy(user)).not.toContain(name);
    const known = await env.database.inTenant(orgId, (tx) => env.app.get(MembersRepository).find(tx, user.id));
    expect(known?.accessObservedAt).not.toBeNull();
  });

  it('follows changes of a team', async () => {
    const { user } = await given();
    const name = `of-a-team-${founded}`;
    const repository = env.github.createRepository(env.organization, { name });
    const team = env.github.createTeam(env.organization, `Team ${founded}`, [user]);
    await env.waitUntilIdle();
    expect(await seenBy(user)).not.toContain(name);
    team.grant(repository, 'read');
    await env.waitUntilIdle();
    expect(await seenBy(user)).toContain(name);
    team.removeMember(user);
    await env.waitUntilIdle();
    expect(await seenBy(user)).not.toContain(name);
  });

  it('ends after a quarter of an hour without a delivery', async () => {
    const { repository, user, name } = await given();
    env.outbox.faults.next({ kind: 'lose', event: 'member' });
    repository.removeCollaborator(user);
    env.clock.advance(14 * MINUTE_MS);
    expect(await seenBy(user)).toContain(name);
    env.clock.advance(MINUTE_MS);
    expect(await seenBy(user)).not.toContain(name);
  });

  it('is refreshed by the periodic sync for users with a session, before it expires', async () => {
    const { repository, user, name } = await given();
    env.outbox.faults.next({ kind: 'lose', event: 'member' });
    repository.removeCollaborator(user);
    env.clock.advance(10 * MINUTE_MS);
    await env.app.get(MemberListSyncService).enqueueAll();
    await env.waitUntilIdle();
    expect(await seenBy(user)).not.toContain(name);
  });

  it('includes nothing private after they revoke their authorization', async () => {
    const { user } = await given();
    env.github.state.tokens.revokeAllOf(user);
    env.clock.advance(16 * MINUTE_MS);
    expect(await seenBy(user)).toEqual(['open']);
    const before = env.exchanges.length;
    expect(await seenBy(user)).toEqual(['open']);
    expect(env.exchanges.slice(before)).toEqual([]);
    await signInAndJoin(env, user, env.organization);
    expect(await seenBy(user)).toContain(`private-${founded}`);
  });

  it('ends at once when a repository becomes private, except for those who can still read it', async () => {
    const { user } = await given();
    const name = `was-public-${founded}`;
    const repository = env.github.createRepository(env.organization, { name, private: false });
    repository.setCollaborator(reader, 'read');
    await env.waitUntilIdle();
    expect(await seenBy(user)).toContain(name);
    repository.changeVisibility('private');
    await env.waitUntilIdle();
    expect(await seenBy(user)).not.toContain(name);
    expect(await seenBy(reader)).toContain(name);
  });

  it('is not what a response says that was requested before a hint of a change', async () => {
    const { repository, user } = await given();
    const members = env.app.get(MembersRepository);
    await env.database.inTenant(orgId, async (tx) => {
      const before = await members.find(tx, user.id);
      const answer = { repositoryIds: [repository.id], observedAt: env.clock.now() };
      await members.invalidateAccess(tx, [user.id]);
      const generation = before?.accessGeneration ?? 0;
      expect(await members.replaceAccess(tx, user.id, { ...answer, accessGeneration: generation })).toBe(false);
      expect(await members.replaceAccess(tx, user.id, { ...answer, accessGeneration: generation + 1 })).toBe(true);
      const older = new Date(answer.observedAt.getTime() - 1);
      expect(
        await members.replaceAccess(tx, user.id, { ...answer, observedAt: older, accessGeneration: generation + 1 }),
      ).toBe(false);
    });
  });
});
