import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type JsonAnswer, signIn, type UserSession } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { EventReader, type ReceivedEvent } from './events/event-reader.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';

let env: TestEnvironment;
let scenario: RepositoryScenario;
let reader: EventReader;

beforeAll(async () => {
  env = await TestEnvironment.start();
  scenario = new RepositoryScenario(env, { name: 'payments' });
  scenario.repository.changeVisibility('public');
  await env.install();
  const { cookie } = await signIn(env, env.github.createUser({ login: 'ada' }));
  reader = await EventReader.open(env.baseUrl, { cookie });
});
afterAll(async () => {
  reader.leave();
  await env.stop();
});
afterEach(() => expect(env.violations).toEqual([]));

/** The events during the work and all jobs that follow from it. */
async function eventsDuring(work: () => Promise<unknown>): Promise<readonly ReceivedEvent[]> {
  reader.events.length = 0;
  await work();
  await env.waitUntilIdle();
  const [last] = await env.asSuperuser<{ id: string }>('select max(id) as id from event');
  await reader.until(() => Number(reader.lastEventId) >= Number(last?.id ?? 0));
  return [...reader.events];
}

const typesOf = (events: readonly ReceivedEvent[]): readonly string[] =>
  [...new Set(events.map(({ type }) => type))].sort();

let admins = 0;
const givenAdmin = (): Promise<UserSession> => {
  admins += 1;
  return signIn(env, env.github.createUser({ login: `admin-${admins}` }), { role: 'admin' });
};

describe('an event is sent', () => {
  it('when a release is created, when its evidence is uploaded, and when its pull request is opened, reviewed and merged', async () => {
    const events = await eventsDuring(() => scenario.approved('v1.0.0'));
    const [release] = await env.asSuperuser<{ id: string }>('select id from release');
    expect(typesOf(events)).toEqual(expect.arrayContaining(['evidence.received', 'release.updated', 'review.updated']));
    for (const event of events.filter(({ milestoneId }) => milestoneId !== undefined)) {
      expect(event).toMatchObject({ org: 'acme', repo: 'payments', milestoneId: release?.id });
    }
  });

  it('when a sync starts, for each repository that it completed, and when it ends', async () => {
    const events = await eventsDuring(() => env.resync());
    const types = events.map(({ type }) => type).filter((type) => type.startsWith('sync.'));
    expect(types).toEqual(['sync.started', 'sync.progress', 'sync.completed']);
    expect(events.find(({ type }) => type === 'sync.progress')).toMatchObject({ repo: 'payments' });
  });

  it.each<[string, (admin: UserSession) => Promise<JsonAnswer>]>([
    ['freezes', (by) => by.send('POST', '/api/freezes', { from: '2090-01-01', to: '2090-01-02', reason: 'rest' })],
    ['keys', (by) => by.send('POST', '/api/settings/api-keys', { name: 'ci', scopes: ['gate:read'] })],
    ['keys', (by) => by.send('POST', '/api/settings/mcp-keys', { name: 'editor', scope: 'read' })],
    ['members', (by) => by.send('POST', '/api/team/invites', { role: 'member' })],
    ['plan', (by) => by.send('POST', '/api/billing/upgrade-requests', {})],
    ['projects', (by) => by.send('POST', '/api/projects', { name: 'Apollo' })],
  ])('to every member when a user changes the %s', async (what, change) => {
    const admin = await givenAdmin();
    const events = await eventsDuring(async () => expect((await change(admin)).status).toBe(201));
    const changes = events.filter(({ type }) => type === 'workspace.updated');
    expect(changes).toContainEqual({ ...changes[0], org: 'acme', what });
    expect(new Set(changes.map((event) => event.what))).toEqual(new Set([what]));
    expect(changes.every((event) => event.repo === undefined && event.milestoneId === undefined)).toBe(true);
  });

  it('when a project changes, and not when it stays the same', async () => {
    const admin = await givenAdmin();
    let path = '';
    await eventsDuring(async () => {
      const { body } = await admin.send('POST', '/api/projects', { name: 'Gemini' });
      path = `/api/projects/${String(body['id'])}`;
    });
    const changesOf = async (work: () => Promise<JsonAnswer>): Promise<number> =>
      (await eventsDuring(work)).filter(({ what }) => what === 'projects').length;
    expect(await changesOf(() => admin.send('PATCH', path, { name: 'Mercury' }))).toBe(1);
    expect(await changesOf(() => admin.send('PATCH', path, { name: 'Mercury' }))).toBe(0);
    expect(await changesOf(() => admin.send('DELETE', path))).toBe(1);
  });

  it('never when nothing changed', async () => {
    await env.resync();
    expect(typesOf(await eventsDuring(() => env.resync()))).toEqual([
      'sync.completed',
      'sync.progress',
      'sync.started',
    ]);
  });

  it('when a sync fails', async () => {
    env.github.faults.next({ kind: '5xx', match: /^GET \/installation\/repositories/, times: 100 });
    const events = await eventsDuring(() => env.resync());
    env.github.faults.clear();
    expect(typesOf(events)).toContain('sync.failed');
  });
});

describe('of a repository', () => {
  it('is sent when it is added and when it changes, and not while it stays the same', async () => {
    const came = await eventsDuring(async () => {
      env.github.createRepository(env.organization, { name: 'ledger', private: false });
      await env.resync();
    });
    expect(came.filter(({ type }) => type === 'repo.updated')).toMatchObject([{ repo: 'ledger' }]);
  });
});
