import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { InstallationSyncService } from '../../src/features/sync/installation-sync.service.js';
import { SyncService } from '../../src/features/sync/sync.service.js';
import type { Repository } from '../github-sim/state/repository.js';
import { signIn, type UserSession } from '../support/signed-in.js';
import { TestEnvironment } from '../support/world.js';

const HOUR_MS = 3_600_000;

interface Shown {
  readonly status: string;
  readonly syncId: string | null;
  readonly lastSyncedAt: string | null;
  readonly detail: string | null;
  readonly repos: readonly { readonly repo: string; readonly status: string; readonly detail: string | null }[];
  readonly ignored: readonly object[];
  readonly deadLetters: number;
}

describe('the sync', () => {
  let world: TestEnvironment;
  let member: UserSession;
  let open: Repository;
  let hushed: Repository;
  let installationId: number;

  beforeAll(async () => {
    world = await TestEnvironment.start({ BILLING: 'off' });
    world.github.createRepository(world.organization, { name: 'ajar', private: false });
    open = world.github.createRepository(world.organization, { name: 'open', private: false });
    hushed = world.github.createRepository(world.organization, { name: 'hushed', private: true });
    open.milestones.create({ title: 'Someday' });
    hushed.milestones.create({ title: 'Never' });
    await world.install();
    const [row] = await world.asSuperuser<{ id: string }>('select installation_id as id from organization');
    installationId = Number(row?.id);
    member = await signIn(world, world.github.createUser({ login: 'mia' }));
  });
  afterAll(() => world.stop());
  afterEach(() => {
    world.github.faults.clear();
    expect(world.violations).toEqual([]);
  });

  const show = async (of = member): Promise<Shown> => {
    const { status, body } = await of.get('/api/sync');
    expect(status).toBe(200);
    return body as unknown as Shown;
  };
  const start = async (body?: object, of = member): Promise<string> => {
    const answer = await of.send('POST', '/api/sync', body);
    expect([answer.status, answer.body]).toEqual([202, { syncId: expect.any(String), status: 'running' }]);
    return String(answer.body['syncId']);
  };
  const ask = async (body?: object): Promise<{ readonly syncId: string; readonly status: string }> => {
    const answer = await member.send('POST', '/api/sync', body);
    expect(answer.status).toBe(202);
    return answer.body as { syncId: string; status: string };
  };
  const runs = (): Promise<readonly { id: string; finished: boolean }[]> =>
    world.asSuperuser('select id, finished_at is not null as finished from sync_run order by begun_at');
  const idOf = async (name: string): Promise<string> => {
    const rows = await world.asSuperuser<{ id: string; name: string }>('select id, name from repository');
    return rows.find((row) => row.name === name)?.id ?? '';
  };

  it('tells a member how the repositories stand that they may read, and nothing of any other', async () => {
    const shown = await show();
    expect(shown).toEqual({
      status: 'completed',
      syncId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      nextSyncId: null,
      lastSyncedAt: expect.stringMatching(/^\d{4}-/),
      detail: null,
      repos: ['ajar', 'open'].map((repo) => ({ repo, status: 'done', detail: null })),
      ignored: [{ repo: 'open', number: 1, title: 'Someday', reason: expect.any(String) }],
      deadLetters: 0,
    });
  });

  it('is started by a member, reads everything anew, and says when it is done', async () => {
    const before = await show();
    open.milestones.create({ title: 'v1.0.0' });
    await world.settle();
    world.clock.advance(1_000);
    const id = await start();
    await world.settle();
    const after = await show();
    expect(after).toMatchObject({ status: 'completed', syncId: id });
    expect(Date.parse(after.lastSyncedAt ?? '')).toBeGreaterThan(Date.parse(before.lastSyncedAt ?? ''));
  });

  it('reads one repository alone where one is named', async () => {
    const before = world.exchanges.length;
    const id = await start({ repoId: await idOf('open') });
    await world.settle();
    expect(await show()).toMatchObject({ status: 'completed', syncId: id });
    const paths = world.exchanges.slice(before).map(({ path }) => path);
    expect(paths.filter((path) => path.includes('/hushed'))).toEqual([]);
    expect(paths.filter((path) => path.includes('/open/milestones'))).not.toEqual([]);
  });

  it('is one at a time: whoever asks meanwhile is given the one that follows, and all of them the same', async () => {
    await slowDown();
    const first = await start();
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask()));
    const [next] = answers;
    expect(next).toEqual({ syncId: expect.any(String), status: 'waiting' });
    expect(new Set(answers.map(({ syncId }) => syncId))).toEqual(new Set([next!.syncId]));
    expect(next!.syncId).not.toBe(first);
    expect(await ask({ repoId: await idOf('open') })).toEqual(next);
    expect(await show()).toMatchObject({ status: 'running', syncId: first, nextSyncId: next!.syncId });
    await world.settle();
    expect(await show()).toMatchObject({ status: 'completed', syncId: next!.syncId, nextSyncId: null });
    expect((await runs()).filter(({ finished }) => !finished)).toEqual([]);
  });

  it('reads what is asked for during a run for another repository by a run that follows it', async () => {
    await world.settle();
    const [one, other] = await Promise.all(['open', 'ajar'].map(idOf));
    // The host takes its time over the first of them.
    world.github.faults.next({ kind: 'delay', ms: 1_000, match: /^GET \/repos\/acme\/open\/milestones/ });
    const before = world.exchanges.length;
    const first = await start({ repoId: one });
    const next = await ask({ repoId: other });
    const again = await ask({ repoId: one });
    expect([next.status, again]).toEqual(['waiting', next]);
    expect(next.syncId).not.toBe(first);
    await world.settle();
    expect(await show()).toMatchObject({ status: 'completed', syncId: next.syncId, nextSyncId: null });
    const paths = world.exchanges.slice(before).map(({ path }) => path);
    const reads = (name: string): number =>
      paths.filter((path) => new RegExp(`/${name}/milestones(\\?|$)`).test(path)).length;
    expect([reads('open'), reads('ajar')]).toEqual([2, 1]);
  });

  it('takes no reading for its own that began before it', async () => {
    await world.settle();
    const repoId = await idOf('open');
    world.github.faults.next({ kind: 'delay', ms: 1_500, match: /^GET \/repos\/acme\/open\/milestones/ });
    const first = await start({ repoId });
    // Given up while its reading is under way, as after an hour.
    await world.asSuperuser(`update sync_run set finished_at = now() where id = '${first}'`);
    const id = await start({ repoId });
    open.milestones.create({ title: 'Made since' });
    await world.settle();
    const shown = await show();
    expect(shown).toMatchObject({ status: 'completed', syncId: id });
    expect(shown.ignored).toContainEqual(expect.objectContaining({ title: 'Made since' }));
  });

  it('begins what was asked for also where the run before it came to nothing', async () => {
    await slowDown();
    await start();
    const { syncId } = await ask();
    // Each time that the list is read, and not by the run that follows.
    world.github.faults.next({ kind: '5xx', status: 503, match: /^GET \/installation\/repositories/, times: 1 });
    await world.settle();
    expect((await runs()).map(({ id }) => id)).toContain(syncId);
    expect(await show()).toMatchObject({ syncId, nextSyncId: null });
    world.github.faults.clear();
    world.clock.advance(60_000);
    await world.resync();
  });

  it('shows its progress, repository by repository', async () => {
    let seen: Shown | null = null;
    const viewer = { orgId: await world.orgId(), userId: member.user.id };
    const stop = watch(async () => {
      const { repos, status } = await world.app.get(SyncService).read(viewer);
      if (repos.some((one) => one.status === 'waiting')) seen = { status, repos } as unknown as Shown;
    });
    await start();
    await world.settle();
    await stop();
    expect(seen).toMatchObject({
      status: 'running',
      repos: expect.arrayContaining([expect.objectContaining({ repo: 'open' })]),
    });
  });

  it('says why a repository could not be read, to whoever may read that one', async () => {
    world.github.faults.next({ kind: '5xx', status: 502, match: /^GET \/repos\/acme\/hushed\//, times: 1_000 });
    await start();
    await world.settle();
    expect(await show()).toMatchObject({
      status: 'completed',
      repos: [
        { repo: 'ajar', status: 'done' },
        { repo: 'open', status: 'done' },
      ],
    });
    const insider = await signIn(world, world.github.createUser({ login: 'ida' }));
    await world.database.inTenant(await world.orgId(), (tx) =>
      tx.query('insert into repository_access (org_id, person, repository_github_id) values ($1, $2, $3)', [
        tx.orgId,
        insider.user.id,
        hushed.id,
      ]),
    );
    const told = await show(insider);
    expect([told.status, told.ignored.at(0)]).toMatchObject(['failed', { repo: 'hushed' }]);
    expect(told.repos).toContainEqual({ repo: 'hushed', status: 'failed', detail: expect.stringContaining('502') });
    world.github.faults.clear();
    // Until then the host is left alone, of which several addresses failed.
    world.clock.advance(60_000);
    await start();
    await world.settle();
    expect(await show(insider)).toMatchObject({ status: 'completed' });
  });

  it('says why the installation could not be read, also where nobody asked', async () => {
    world.github.faults.next({ kind: '5xx', status: 503, match: /^GET \/installation\/repositories/, times: 10 });
    await expect(world.app.get(InstallationSyncService).sync({ installationId })).rejects.toThrow(/503/);
    expect(await show()).toMatchObject({ status: 'failed', detail: expect.stringContaining('503') });
    world.github.faults.clear();
    await world.resync();
    expect(await show()).toMatchObject({ status: 'completed', detail: null });
  });

  it('gives a run up that does not end, and begins another one', async () => {
    await slowDown();
    const stuck = await start();
    await world.settle();
    // As when every try of a job was killed.
    await world.asSuperuser(`update sync_run set finished_at = null where id = '${stuck}'`);
    expect(await ask()).toMatchObject({ status: 'waiting' });
    world.clock.advance(HOUR_MS + 1_000);
    const again = await signIn(world, member.user);
    const next = (await again.send('POST', '/api/sync')).body['syncId'];
    expect(next).not.toBe(stuck);
    await world.settle();
    expect(await show(again)).toMatchObject({ status: 'completed', syncId: next, nextSyncId: null });
    member = again;
  });

  it('counts the dead letters of the workspace, without those about what the member may not read', async () => {
    const dead = (guid: string, installation: number, repository: number | null): Promise<unknown> =>
      world.asSuperuser(
        `insert into webhook_delivery (guid, event, installation_id, repository_github_id, status, received_at)
         values ('${guid}', 'push', ${installation}, ${repository ?? 'null'}, 'dead', now())`,
      );
    await dead('d-1', installationId, null);
    await dead('d-2', installationId, open.id);
    await dead('d-3', installationId, hushed.id);
    await dead('d-4', installationId + 1, open.id);
    expect(await show()).toMatchObject({ deadLetters: 2 });
  });

  it('refuses what names no repository that the member may read', async () => {
    const foreign = world.github.createOrganization({ login: 'globex' });
    world.github.createRepository(foreign, { name: 'theirs', private: false });
    await world.install(foreign);
    for (const name of ['hushed', 'theirs', 'nothing']) {
      const repoId = (await idOf(name)) || '6f0d1c52-3b7a-4e8f-9a51-0c2d4e6f8a1b';
      const { status, body } = await member.send('POST', '/api/sync', { repoId });
      expect([name, status, body]).toEqual([name, 404, { error: 'There is no such repository.' }]);
    }
    expect((await member.send('POST', '/api/sync', { repoId: 'open' })).status).toBe(400);
    expect((await member.send('POST', '/api/sync', { repo: 'open' })).status).toBe(400);
  });

  it('is refused where the app does not reach the workspace', async () => {
    const installation = world.github.world.installations.find(world.githubApp, world.organization);
    installation?.suspend();
    await world.settle();
    expect(await member.send('POST', '/api/sync')).toMatchObject({ status: 409 });
    installation?.unsuspend();
    await world.settle();
    expect((await member.send('POST', '/api/sync')).status).toBe(202);
    await world.settle();
  });

  /** The host takes its time to say which repositories there are. */
  const slowDown = async (): Promise<void> => {
    await world.settle();
    world.github.faults.next({ kind: 'delay', ms: 1_000, match: /^GET \/app\/installations\/\d+$/ });
  };

  /** Looks again and again until it is told to stop. */
  const watch = (look: () => Promise<void>): (() => Promise<void>) => {
    const stopping = new AbortController();
    const loop = (async () => {
      while (!stopping.signal.aborted) await look();
    })();
    return async () => {
      stopping.abort();
      await loop;
    };
  };
});
