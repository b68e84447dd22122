import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { OrgId } from '../../src/database/ids.js';
import type { ProjectDto } from '../../src/features/projects/projects.dto.js';
import { WorkspaceRows } from '../support/workspace-rows.js';
import { type JsonAnswer, type UserSession, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';

type ProjectJson = { readonly [K in keyof ProjectDto]: ProjectDto[K] extends Date ? string : ProjectDto[K] };
interface Body {
  readonly projects: readonly ProjectJson[];
  readonly pagination?: Readonly<Record<string, number>>;
}

const MINUTE_MS = 60_000;
const PATH = '/api/projects';

let env: TestEnvironment;
let orgId: OrgId;
let shop: RepositoryScenario;
let rows: WorkspaceRows;
/** Can read `hushed` too. */
let reader: UserSession;
let outsider: UserSession;
let payments: string;
let release: string;
let privateRepo: string;

beforeAll(async () => {
  env = await TestEnvironment.start();
  shop = new RepositoryScenario(env, { name: 'shop' });
  shop.repository.changeVisibility('public');
  orgId = await env.install();
  rows = new WorkspaceRows(env.database, orgId, 1_000_000);
  payments = await rows.repository('payments');
  release = await rows.release({ repositoryId: payments, version: 'v1.4.0', stage: 'TESTING', validUntil: 'infinity' });
  privateRepo = await rows.repository('hushed', { isPrivate: true, githubId: 900_001 });
  reader = await signIn(env, env.github.createUser({ login: 'rhea' }));
  outsider = await signIn(env, env.github.createUser({ login: 'otto' }));
  await env.asSuperuser(
    `insert into repository_access (org_id, person, repository_github_id) values ('${orgId}', ${reader.user.id}, 900001)`,
  );
});
beforeEach(async () => {
  await env.asSuperuser('delete from project');
});
afterAll(() => env.stop());
afterEach(() => expect(env.violations).toEqual([]));

const visible = ({ body }: JsonAnswer): ProjectJson => body as unknown as ProjectJson;
async function make(name: string, details: object = {}, by = reader): Promise<ProjectJson> {
  const answer = await by.send('POST', PATH, { name, ...details });
  expect([name, answer.status, answer.body]).toEqual([name, 201, expect.anything()]);
  return visible(answer);
}
const change = (id: string, body: object): Promise<JsonAnswer> => reader.send('PATCH', `${PATH}/${id}`, body);
const link = (id: string, repoId: string, body?: object, by = reader): Promise<JsonAnswer> =>
  by.send('PUT', `${PATH}/${id}/repos/${repoId}`, body);
const unlink = (id: string, repoId: string, by = reader): Promise<JsonAnswer> =>
  by.send('DELETE', `${PATH}/${id}/repos/${repoId}`);
async function read(query = '', by = reader): Promise<Body> {
  const { status, body } = await by.get(`${PATH}${query}`);
  expect([query, status]).toEqual([query, 200]);
  return body as unknown as Body;
}
const one = async (id: string, by = reader): Promise<ProjectJson> => visible(await by.get(`${PATH}/${id}`));

describe('a project', () => {
  it('is created, read, updated, filled, emptied and deleted by any member', async () => {
    const created = await make('  Checkout 2 ', { description: ' For the shop.\n', targetDate: '2028-02-29' });
    expect(created).toEqual({
      id: expect.any(String),
      org: 'acme',
      name: 'Checkout 2',
      description: 'For the shop.',
      targetDate: '2028-02-29',
      repos: [],
      outcome: null,
      counts: { all: 0, blocked: 0, needs_approval: 0, ready_to_deploy: 0, in_progress: 0 },
      createdAt: expect.any(String),
      updatedAt: created.createdAt,
    });
    expect(await read()).toEqual({ projects: [created] });
    expect(await one(created.id)).toEqual(created);

    env.clock.advance(1_000);
    const changed = await change(created.id, { name: 'Checkout 3', description: null, targetDate: null });
    expect(changed).toMatchObject({ status: 200, body: { name: 'Checkout 3', description: null, targetDate: null } });
    expect(Date.parse(visible(changed).updatedAt)).toBeGreaterThan(Date.parse(created.updatedAt));
    expect(visible(changed).createdAt).toBe(created.createdAt);

    expect(await link(created.id, payments, { milestoneId: release })).toMatchObject({
      status: 200,
      body: {
        repos: [
          {
            repoId: payments,
            repo: 'payments',
            release: {
              milestoneId: release,
              version: 'v1.4.0',
              stage: 'TESTING',
              outcome: 'in_progress',
              validUntil: null,
            },
          },
        ],
        outcome: 'in_progress',
        counts: { all: 1, blocked: 0, needs_approval: 0, ready_to_deploy: 0, in_progress: 1 },
      },
    });
    const withoutRelease = { repos: [{ repoId: payments, release: null }], outcome: null, counts: { all: 0 } };
    for (const body of [undefined, {}, { milestoneId: null }]) {
      await link(created.id, payments, { milestoneId: release });
      expect(await link(created.id, payments, body)).toMatchObject({ status: 200, body: withoutRelease });
    }
    expect((await unlink(created.id, payments)).status).toBe(204);
    expect((await unlink(created.id, payments)).status).toBe(404);
    expect((await one(created.id)).repos).toEqual([]);

    await link(created.id, payments);
    expect((await reader.send('DELETE', `${PATH}/${created.id}`)).status).toBe(204);
    expect((await reader.send('DELETE', `${PATH}/${created.id}`)).status).toBe(404);
    expect((await reader.get(`${PATH}/${created.id}`)).status).toBe(404);
    expect(await read()).toEqual({ projects: [] });
    expect((await reader.get('/api/repos?search=payments')).body).toMatchObject([{ id: payments }]);
  });

  it('does not move in the list when nothing changes', async () => {
    const created = await make('first', { description: 'as it is' });
    await link(created.id, payments, { milestoneId: release });
    const before = await one(created.id);
    env.clock.advance(1_000);
    const unchanging = [{}, { name: ' first ' }, { description: 'as it is' }, { targetDate: null }];
    for (const body of unchanging) expect(await change(created.id, body)).toMatchObject({ status: 200, body: before });
    expect(await link(created.id, payments, { milestoneId: release })).toMatchObject({ status: 200, body: before });
    expect((await unlink(created.id, privateRepo)).status).toBe(404);
    expect(await one(created.id)).toEqual(before);
  });

  it.each([
    ['POST', { name: 'CHECKOUT' }],
    ['PATCH', { name: ' checkout ' }],
  ])('has a unique name, whatever the letter case: %s', async (method, body) => {
    const taken = await make('Checkout');
    const other = await make('another');
    const answer = await reader.send(method, method === 'POST' ? PATH : `${PATH}/${other.id}`, body);
    expect(answer).toMatchObject({ status: 409, body: { error: expect.stringContaining('name') } });
    expect((await one(other.id)).name).toBe('another');
    expect(await change(taken.id, { name: 'CheckOut' })).toMatchObject({ status: 200, body: { name: 'CheckOut' } });
  });

  const bad = [
    {},
    [],
    { name: '' },
    { name: '  ' },
    { name: '\u200b' },
    { name: 'two\nlines' },
    { name: 'x'.repeat(101) },
    { name: 7 },
    { name: null },
    { name: 'x', org: 'acme' },
    { name: 'x', description: 7 },
    { name: 'x', description: 'x'.repeat(2_001) },
    { name: 'x', description: 'bell \u0007' },
    { name: 'x', targetDate: '2027-02-29' },
    { name: 'x', targetDate: '2026-13-01' },
    { name: 'x', targetDate: '2026-03-29T02:30:00Z' },
    { name: 'x', targetDate: '' },
    { name: 'x', targetDate: 20_260_329 },
  ];
  it.each(bad.map((body) => [JSON.stringify(body).slice(0, 60), body] as const))(
    'is neither created nor updated by %s',
    async (_, body) => {
      expect(await reader.send('POST', PATH, body)).toMatchObject({ status: 400, body: { error: expect.any(String) } });
      if (JSON.stringify(body) === '{}') return;
      const created = await make('as it was');
      expect(await change(created.id, body)).toMatchObject({ status: 400, body: { error: expect.any(String) } });
      expect(await one(created.id)).toEqual(created);
    },
  );

  it.each(['2026-03-29', '2026-10-25', '2026-12-31', '2026-01-01', '9999-12-31'])(
    'has the target %s, whatever the local time is',
    async (targetDate) => {
      expect((await make('dated', { targetDate })).targetDate).toBe(targetDate);
    },
  );

  it('can have a name of 100 emoji and a description of 2,000 characters', async () => {
    const [name, description] = ['🚀'.repeat(100), '\u202e<b>\t"\n'.repeat(285)];
    const created = await make(name, { description });
    expect([created.name, created.description]).toEqual([name, description.trim()]);
  });
});

describe('a link', () => {
  it('is created only to existing objects', async () => {
    const { id } = await make('links');
    const gone = await rows.repository('gone');
    await rows.write('update repository set removed_at = now() where id = $1', [gone]);
    const other = await rows.release({ repositoryId: gone, version: 'v1.0.0', validUntil: 'infinity' });
    const deleted = { version: 'v0.1.0', validUntil: 'infinity', deletedAt: '2026-01-01T00:00:00Z' };
    const deletedId = await rows.release({ repositoryId: payments, ...deleted });
    for (const repoId of [gone, randomUUID(), 'payments']) expect((await link(id, repoId)).status).toBe(404);
    for (const milestoneId of [other, deletedId, randomUUID()]) {
      expect((await link(id, payments, { milestoneId })).status).toBe(404);
    }
    for (const body of [{ milestoneId: 'v1.4.0' }, { milestoneId: 7 }, { version: 'v1.4.0' }, [], [{}]]) {
      expect((await link(id, payments, body)).status).toBe(400);
    }
    for (const nowhere of [randomUUID(), 'links']) {
      expect((await link(nowhere, payments)).status).toBe(404);
      expect((await unlink(nowhere, payments)).status).toBe(404);
      expect((await reader.get(`${PATH}/${nowhere}`)).status).toBe(404);
      expect((await change(nowhere, { name: 'x' })).status).toBe(404);
      expect((await reader.send('DELETE', `${PATH}/${nowhere}`)).status).toBe(404);
    }
    expect((await one(id)).repos).toEqual([]);
  });

  it('to a removed repository remains, and can be deleted', async () => {
    const { id } = await make('losing');
    const leaving = await rows.repository('leaving');
    await link(id, leaving);
    await rows.write('update repository set removed_at = now() where id = $1', [leaving]);
    expect((await one(id)).repos).toEqual([{ repoId: leaving, repo: 'leaving', release: null }]);
    expect((await unlink(id, leaving)).status).toBe(204);
    expect((await one(id)).repos).toEqual([]);
  });

  it('to a private repository is hidden from users who cannot read it', async () => {
    const { id } = await make('mixed');
    const v7 = await rows.release({
      repositoryId: privateRepo,
      version: 'v7.7.0',
      blocked: true,
      validUntil: 'infinity',
    });
    await link(id, payments, { milestoneId: release });
    expect(await link(id, privateRepo, { milestoneId: v7 })).toMatchObject({ body: { outcome: 'blocked' } });
    for (const query of ['', '?page=1', '?search=mixed']) {
      expect((await read(query)).projects).toMatchObject([{ outcome: 'blocked', counts: { all: 2 } }]);
      const { projects } = await read(query, outsider);
      expect(projects).toMatchObject([{ outcome: 'in_progress', counts: { all: 1, blocked: 0 } }]);
      expect(JSON.stringify(projects)).not.toMatch(/hushed|v7\.7/);
    }
    for (const search of ['hushed', 'v7.7']) {
      expect((await read(`?search=${search}&page=1`)).pagination).toMatchObject({ total: 1 });
      expect((await read(`?search=${search}&page=1`, outsider)).pagination).toMatchObject({ total: 0 });
    }
    expect((await link(id, privateRepo, {}, outsider)).status).toBe(404);
    expect((await unlink(id, privateRepo, outsider)).status).toBe(404);
    expect((await one(id)).counts.all).toBe(2);
    // An admin who can see only a part of the project cannot delete it either.
    const refused = await outsider.send('DELETE', `${PATH}/${id}`);
    expect(refused).toMatchObject({ status: 403, body: { error: expect.stringContaining('you cannot read') } });
    expect(JSON.stringify(refused.body)).not.toMatch(/hushed/);
    const chief = await signIn(env, env.github.createUser({ login: 'chief' }), { role: 'admin' });
    expect((await chief.send('DELETE', `${PATH}/${id}`)).status).toBe(403);
    expect((await reader.get(`${PATH}/${id}`)).status).toBe(200);
    // The links to a repository that the app does not reach can still be deleted.
    await env.asSuperuser(`update repository set removed_at = now() where id = '${privateRepo}'`);
    expect((await outsider.send('DELETE', `${PATH}/${id}`)).status).toBe(204);
    await env.asSuperuser(`update repository set removed_at = null where id = '${privateRepo}'`);
    expect(await env.asSuperuser('select from project_repository')).toEqual([]);
  });

  it('does not show a release as ready if a fact has expired, and has it refreshed', async () => {
    await shop.approved('v2.0.0');
    const [summary] = (await reader.get('/api/dashboard?search=v2.0.0')).body['releases'] as { milestoneId: string }[];
    const [repository] = (await reader.get('/api/repos?search=shop')).body as unknown as { id: string }[];
    const { id } = await make('timely');
    await link(id, repository?.id ?? '', { milestoneId: summary?.milestoneId });
    const outcomes = async (): Promise<readonly unknown[]> => [
      (await one(id)).outcome,
      (await read()).projects[0]?.outcome,
      (await read('?page=1')).projects[0]?.counts.ready_to_deploy,
    ];
    expect(await outcomes()).toEqual(['ready_to_deploy', 'ready_to_deploy', 1]);
    env.clock.advance(5 * MINUTE_MS + 1_000);
    expect((await read()).projects[0]?.outcome).toBe('in_progress');
    await env.waitUntilIdle();
    const before = env.exchanges.length;
    expect((await read('?page=1')).projects[0]).toMatchObject({
      outcome: 'in_progress',
      counts: { ready_to_deploy: 0 },
    });
    await env.waitUntilIdle();
    expect(env.exchanges.length).toBeGreaterThan(before);
    expect(await outcomes()).toEqual(['ready_to_deploy', 'ready_to_deploy', 1]);
    env.clock.advance(5 * MINUTE_MS + 1_000);
    expect((await one(id)).outcome).toBe('in_progress');
    await env.waitUntilIdle();
    expect(await outcomes()).toEqual(['ready_to_deploy', 'ready_to_deploy', 1]);
  });

  it('does not show a release as ready if the app has lost its repository', async () => {
    await shop.approved('v3.0.0');
    const summary = async (): Promise<{ readonly milestoneId: string; readonly outcome: string } | undefined> =>
      ((await reader.get('/api/dashboard?search=v3.0.0')).body['releases'] as never[])[0];
    const [repository] = (await reader.get('/api/repos?search=shop')).body as unknown as { id: string }[];
    const { id } = await make('leaving');
    await link(id, repository?.id ?? '', { milestoneId: (await summary())?.milestoneId });
    expect([(await one(id)).outcome, (await summary())?.outcome]).toEqual(['ready_to_deploy', 'ready_to_deploy']);
    env.outbox.faults.next({ kind: 'lose', event: 'repository' });
    shop.repository.delete();
    await env.resync();
    expect([(await one(id)).outcome, (await summary())?.outcome]).toEqual(['blocked', 'blocked']);
  });
});
