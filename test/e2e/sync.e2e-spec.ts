import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { InstallationSyncService } from '../../src/features/sync/installation-sync.service.js';
import { SyncService } from '../../src/features/sync/sync.service.js';
import type { Repository } from '../github-sim/state/repository.js';
import { signIn, type UserSession } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';

const HOUR_MS = 3_600_000;

interface SyncStatus {
  readonly status: string;
  readonly syncId: string | null;
  readonly lastSyncedAt: string | null;
  readonly detail: string | null;
  readonly repos: readonly { readonly repo: string; readonly status: string; readonly detail: string | null }[];
  readonly ignored: readonly object[];
  readonly deadLetters: number;
}

describe('the sync', () => {
  let env: TestEnvironment;
  let member: UserSession;
  let open: Repository;
  let privateRepo: Repository;
  let installationId: number;

  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    env.github.createRepository(env.organization, { name: 'ajar', private: false });
    open = env.github.createRepository(env.organization, { name: 'open', private: false });
    privateRepo = env.github.createRepository(env.organization, { name: 'hushed', private: true });
    open.milestones.create({ title: 'Someday' });
    privateRepo.milestones.create({ title: 'Never' });
    await env.install();
    const [row] = await env.asSuperuser<{ id: string }>('select installation_id as id from organization');
    installationId = Number(row?.id);
    member = await signIn(env, env.github.createUser({ login: 'mia' }));
  });
  afterAll(() => env.stop());
  afterEach(() => {
    env.github.faults.clear();
    expect(env.violations).toEqual([]);
  });

  const show = async (of = member): Promise<SyncStatus> => {
    const { status, body } = await of.get('/api/sync');
    expect(status).toBe(200);
    return body as unknown as SyncStatus;
  };
  const start = async (body?: object, of = member): Promise<string> => {
    const answer = await of.send('POST', '/api/sync', body);
    expect([answer.status, answer.body]).toEqual([202, { syncId: expect.any(String), status: 'running' }]);
    return String(answer.body['syncId']);
  };
  const request = async (body?: object): Promise<{ readonly syncId: string; readonly status: string }> => {
    const answer = await member.send('POST', '/api/sync', body);
    expect(answer.status).toBe(202);
    return answer.body as { syncId: string; status: string };
  };
  const runs = (): Promise<readonly { id: string; finished: boolean }[]> =>
    env.asSuperuser('select id, finished_at is not null as finished from sync_run order by begun_at');
  const idOf = async (name: string): Promise<string> => {
    const rows = await env.asSuperuser<{ id: string; name: string }>('select id, name from repository');
    return rows.find((row) => row.name === name)?.id ?? '';
  };

  it('returns to a member the state of the repositories that they can read, and nothing of others', async () => {
    const visible = await show();
    const [ajarId, openId] = [await idOf('ajar'), await idOf('open')];
    expect(visible).toEqual({
      status: 'completed',
      syncId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      nextSyncId: null,
      lastSyncedAt: expect.stringMatching(/^\d{4}-/),
      detail: null,
      repos: [
        { repoId: ajarId, repo: 'ajar', status: 'done', detail: null },
        { repoId: openId, repo: 'open', status: 'done', detail: null },
      ],
      ignored: [{ repoId: openId, repo: 'open', number: 1, title: 'Someday', reason: expect.any(String) }],
      deadLetters: 0,
    });
  });

  it('is started by a member, reads everything again, and reports its end', async () => {
    const before = await show();
    open.milestones.create({ title: 'v1.0.0' });
    await env.waitUntilIdle();
    env.clock.advance(1_000);
    const id = await start();
    await env.waitUntilIdle();
    const after = await show();
    expect(after).toMatchObject({ status: 'completed', syncId: id });
    expect(Date.parse(after.lastSyncedAt ?? '')).toBeGreaterThan(Date.parse(before.lastSyncedAt ?? ''));
  });

  it('reads one repository if one is named', async () => {
    const before = env.exchanges.length;
    const id = await start({ repoId: await idOf('open') });
    await env.waitUntilIdle();
    expect(await show()).toMatchObject({ status: 'completed', syncId: id });
    const paths = env.exchanges.slice(before).map(({ path }) => path);
    expect(paths.filter((path) => path.includes('/hushed'))).toEqual([]);
    expect(paths.filter((path) => path.includes('/open/milestones'))).not.toEqual([]);
  });

  it('runs once at a time: requests meanwhile share the run that follows', async () => {
    await slowDown();
    const first = await start();
    const answers = await Promise.all(Array.from({ length: 8 }, () => request()));
    const [next] = answers;
    expect(next).toEqual({ syncId: expect.any(String), status: 'waiting' });
    expect(new Set(answers.map(({ syncId }) => syncId))).toEqual(new Set([next!.syncId]));
    expect(next!.syncId).not.toBe(first);
    expect(await request({ repoId: await idOf('open') })).toEqual(next);
    expect(await show()).toMatchObject({ status: 'running', syncId: first, nextSyncId: next!.syncId });
    await env.waitUntilIdle();
    expect(await show()).toMatchObject({ status: 'completed', syncId: next!.syncId, nextSyncId: null });
    expect((await runs()).filter(({ finished }) => !finished)).toEqual([]);
  });

  it('reads another repository that is requested during a run in the next run', async () => {
    await env.waitUntilIdle();
    const [one, other] = await Promise.all(['open', 'ajar'].map(idOf));
    // GitHub is slow to return the first of them.
    env.github.faults.next({ kind: 'delay', ms: 1_000, match: /^GET \/repos\/acme\/open\/milestones/ });
    const before = env.exchanges.length;
    const first = await start({ repoId: one });
    const next = await request({ repoId: other });
    const again = await request({ repoId: one });
    expect([next.status, again]).toEqual(['waiting', next]);
    expect(next.syncId).not.toBe(first);
    await env.waitUntilIdle();
    expect(await show()).toMatchObject({ status: 'completed', syncId: next.syncId, nextSyncId: null });
    const paths = env.exchanges.slice(before).map(({ path }) => path);
    const reads = (name: string): number =>
      paths.filter((path) => new RegExp(`/${name}/milestones(\\?|$)`).test(path)).length;
    expect([reads('open'), reads('ajar')]).toEqual([2, 1]);
  });

  it('does not count a read that began before it', async () => {
    await env.waitUntilIdle();
    const repoId = await idOf('open');
    env.github.faults.next({ kind: 'delay', ms: 1_500, match: /^GET \/repos\/acme\/open\/milestones/ });
    const first = await start({ repoId });
    // Ends the run while GitHub is being read, as after an hour.
    await env.asSuperuser(`update sync_run set finished_at = now() where id = '${first}'`);
    const id = await start({ repoId });
    open.milestones.create({ title: 'Made since' });
    await env.waitUntilIdle();
    const visible = await show();
    expect(visible).toMatchObject({ status: 'completed', syncId: id });
    expect(visible.ignored).toContainEqual(expect.objectContaining({ title: 'Made since' }));
  });

  it('starts a requested run also if the previous run failed', async () => {
    await slowDown();
    await start();
    const { syncId } = await request();
    // Fails a read of the list in the first run, and none in the run that follows.
    env.github.faults.next({ kind: '5xx', status: 503, match: /^GET \/installation\/repositories/, times: 1 });
    await env.waitUntilIdle();
    expect((await runs()).map(({ id }) => id)).toContain(syncId);
    expect(await show()).toMatchObject({ syncId, nextSyncId: null });
    env.github.faults.clear();
    env.clock.advance(60_000);
    await env.resync();
  });

  it('reports its progress for each repository', async () => {
    let seen: SyncStatus | null = null;
    const viewer = { orgId: await env.orgId(), userId: member.user.id };
    const stop = watch(async () => {
      const { repos, status } = await env.app.get(SyncService).read(viewer);
      if (repos.some((one) => one.status === 'waiting')) seen = { status, repos } as unknown as SyncStatus;
    });
    await start();
    await env.waitUntilIdle();
    await stop();
    expect(seen).toMatchObject({
      status: 'running',
      repos: expect.arrayContaining([expect.objectContaining({ repo: 'open' })]),
    });
  });

  it('reports why a repository could not be read, to users who can read it', async () => {
    env.github.faults.next({ kind: '5xx', status: 502, match: /^GET \/repos\/acme\/hushed\//, times: 1_000 });
    await start();
    await env.waitUntilIdle();
    expect(await show()).toMatchObject({
      status: 'completed',
      repos: [
        { repo: 'ajar', status: 'done' },
        { repo: 'open', status: 'done' },
      ],
    });
    const insider = await signIn(env, env.github.createUser({ login: 'ida' }));
    await env.database.inTenant(await env.orgId(), (tx) =>
      tx.query('insert into repository_access (org_id, person, repository_github_id) values ($1, $2, $3)', [
        tx.orgId,
        insider.user.id,
        privateRepo.id,
      ]),
    );
    const received = await show(insider);
    expect([received.status, received.ignored.at(0)]).toMatchObject(['failed', { repo: 'hushed' }]);
    expect(received.repos).toContainEqual({
      repoId: await idOf('hushed'),
      repo: 'hushed',
      status: 'failed',
      detail: expect.stringContaining('502'),
    });
    env.github.faults.clear();
    // The service makes no calls to GitHub for a while, because several addresses failed.
    env.clock.advance(60_000);
    await start();
    await env.waitUntilIdle();
    expect(await show(insider)).toMatchObject({ status: 'completed' });
  });

  it('reports why the installation could not be read, also for a scheduled sync', async () => {
    env.github.faults.next({ kind: '5xx', status: 503, match: /^GET \/installation\/repositories/, times: 10 });
    await expect(env.app.get(InstallationSyncService).sync({ installationId })).rejects.toThrow(/503/);
    expect(await show()).toMatchObject({ status: 'failed', detail: expect.stringContaining('503') });
    env.github.faults.clear();
    await env.resync();
    expect(await show()).toMatchObject({ status: 'completed', detail: null });
  });

  it('gives up a run that does not end, and starts another', async () => {
    await slowDown();
    const stuck = await start();
    await env.waitUntilIdle();
    // The state after every attempt of the job was killed.
    await env.asSuperuser(`update sync_run set finished_at = null where id = '${stuck}'`);
    expect(await request()).toMatchObject({ status: 'waiting' });
    env.clock.advance(HOUR_MS + 1_000);
    const again = await signIn(env, member.user);
    const next = (await again.send('POST', '/api/sync')).body['syncId'];
    expect(next).not.toBe(stuck);
    await env.waitUntilIdle();
    expect(await show(again)).toMatchObject({ status: 'completed', syncId: next, nextSyncId: null });
    member = again;
  });

  it('counts the dead letters of the workspace, without those about hidden repositories', async () => {
    const dead = (guid: string, installation: number, repository: number | null): Promise<unknown> =>
      env.asSuperuser(
        `insert into webhook_delivery (guid, event, installation_id, repository_github_id, status, received_at)
         values ('${guid}', 'push', ${installation}, ${repository ?? 'null'}, 'dead', now())`,
      );
    await dead('d-1', installationId, null);
    await dead('d-2', installationId, open.id);
    await dead('d-3', installationId, privateRepo.id);
    await dead('d-4', installationId + 1, open.id);
    expect(await show()).toMatchObject({ deadLetters: 2 });
  });

  it('rejects the name of a repository that the member cannot read', async () => {
    const foreign = env.github.createOrganization({ login: 'globex' });
    env.github.createRepository(foreign, { name: 'theirs', private: false });
    await env.install(foreign);
    for (const name of ['hushed', 'theirs', 'nothing']) {
      const repoId = (await idOf(name)) || '6f0d1c52-3b7a-4e8f-9a51-0c2d4e6f8a1b';
      const { status, body } = await member.send('POST', '/api/sync', { repoId });
      expect([name, status, body]).toEqual([name, 404, { error: 'There is no such repository.' }]);
    }
    expect((await member.send('POST', '/api/sync', { repoId: 'open' })).status).toBe(400);
    expect((await member.send('POST', '/api/sync', { repo: 'open' })).status).toBe(400);
  });

  it('is rejected if the app does not reach the workspace', async () => {
    const installation = env.github.state.installations.find(env.githubApp, env.organization);
    installation?.suspend();
    await env.waitUntilIdle();
    expect(await member.send('POST', '/api/sync')).toMatchObject({ status: 409 });
    installation?.unsuspend();
    await env.waitUntilIdle();
    expect((await member.send('POST', '/api/sync')).status).toBe(202);
    await env.waitUntilIdle();
  });

  /** GitHub is slow to list the repositories. */
  const slowDown = async (): Promise<void> => {
    await env.waitUntilIdle();
    env.github.faults.next({ kind: 'delay', ms: 1_000, match: /^GET \/app\/installations\/\d+$/ });
  };

  /** Repeats the check until it is stopped. */
  const watch = (check: () => Promise<void>): (() => Promise<void>) => {
    const stopping = new AbortController();
    const loop = (async () => {
      while (!stopping.signal.aborted) await check();
    })();
    return async () => {
      stopping.abort();
      await loop;
    };
  };
});
