import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { OrgId } from '../../src/database/ids.js';
import { EventsRepository, type NewEvent } from '../../src/events/events.repository.js';
import { EventStreamsService } from '../../src/features/event-stream/event-streams.service.js';
import type { Organization } from '../github-sim/state/organization.js';
import { signIn, type UserSession } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { EventReader } from './events/event-reader.js';
import { SecondInstance } from './events/second-instance.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let env: TestEnvironment;
let neighbour: SecondInstance;
let orgId: OrgId;
let elsewhere: Organization;
let userCount = 0;
const readers: EventReader[] = [];

beforeAll(async () => {
  env = await TestEnvironment.start();
  env.github.createRepository(env.organization, { name: 'open', private: false });
  env.github.createRepository(env.organization, { name: 'secret', private: true });
  elsewhere = env.github.createOrganization({ login: 'elsewhere' });
  env.github.createRepository(elsewhere, { name: 'shipment', private: false });
  orgId = await env.install();
  await env.install(elsewhere);
  neighbour = await SecondInstance.start(env);
});
afterAll(async () => {
  await neighbour.stop();
  await env.stop();
});
afterEach(async () => {
  for (const reader of readers.splice(0)) {
    reader.leave();
    await reader.untilClosed();
  }
});

async function signInUser(spec: Parameters<typeof signIn>[2] = {}): Promise<UserSession> {
  userCount += 1;
  return signIn(env, env.github.createUser({ login: `person-${userCount}` }), spec);
}

async function follow({ cookie }: UserSession, lastEventId?: string, url = env.baseUrl): Promise<EventReader> {
  const reader = await EventReader.open(url, { cookie, ...(lastEventId !== undefined && { lastEventId }) });
  readers.push(reader);
  return reader;
}

const inTenant = <T extends object>(sql: string, params: readonly unknown[] = []): Promise<T[]> =>
  env.database.inTenant(orgId, (tx) => tx.query<T>(sql, params));

async function emit(repo: string | null, type: NewEvent['type'] = 'repo.updated', org = orgId): Promise<void> {
  await env.database.inTenant(org, async (tx) => {
    const [row] = await tx.query<{ id: string }>('select id from repository where name = $1', [repo]);
    await env.app.get(EventsRepository).append(tx, { type, ...(row && { repositoryId: row.id }) });
  });
}

/** Lets the user read the private repository, confirmed by GitHub now. */
const letRead = ({ user }: UserSession): Promise<unknown> =>
  inTenant(
    `insert into repository_access (org_id, person, repository_github_id)
     select org_id, $1, github_id from repository where name = 'secret'`,
    [user.id],
  );

const reposOf = (reader: EventReader): readonly (string | undefined)[] => reader.events.map(({ repo }) => repo);

describe('an event', () => {
  it('of another workspace is not sent', async () => {
    const here = await follow(await signInUser());
    const there = await follow(await signInUser({ organization: elsewhere }));
    await emit('shipment', 'repo.updated', await env.orgId(elsewhere));
    await emit('open');
    expect((await here.waitForEvents(1)).map(({ org, repo }) => [org, repo])).toEqual([['acme', 'open']]);
    expect((await there.waitForEvents(1)).map(({ org, repo }) => [org, repo])).toEqual([['elsewhere', 'shipment']]);
    expect(here.text + there.text).not.toMatch(/secret/);
  });

  it('of a private repository is sent only to users who can read it, live and later', async () => {
    const [insider, outsider] = [await signInUser(), await signInUser()];
    await letRead(insider);
    const live = [await follow(insider), await follow(outsider)] as const;
    const before = live[1].lastEventId;
    await emit('secret');
    await emit('open');
    await Promise.all([live[0].waitForEvents(2), live[1].waitForEvents(1)]);
    expect(live.map(reposOf)).toEqual([['secret', 'open'], ['open']]);

    const later = [await follow(insider, before), await follow(outsider, before)] as const;
    await Promise.all([later[0].waitForEvents(2), later[1].waitForEvents(1)]);
    expect(later.map(reposOf)).toEqual([['secret', 'open'], ['open']]);
    expect(live[1].text + later[1].text).not.toContain('secret');
  });

  it('of a repository that became private is sent like one', async () => {
    const reader = await follow(await signInUser());
    await inTenant(`update repository set private = true where name = 'open'`);
    await emit('open');
    await emit(null);
    // Events are sent in order. When the second one arrives, the first one was handled while `open` was private.
    await reader.waitForEvents(1);
    await inTenant(`update repository set private = false where name = 'open'`);
    expect(reposOf(reader)).toEqual([undefined]);
  });

  it('is not sent to users who can no longer read the repository', async () => {
    const insider = await signInUser();
    await letRead(insider);
    const reader = await follow(insider);
    await inTenant('delete from repository_access where person = $1', [insider.user.id]);
    await emit('secret');
    await emit('open');
    await reader.waitForEvents(1);
    expect(reposOf(reader)).toEqual(['open']);
  });

  it('that is withheld while the access of a user is unknown is sent after a reconnect', async () => {
    const insider = await signInUser();
    await letRead(insider);
    const reader = await follow(insider);
    const { lastEventId } = reader;
    await inTenant('update member set access_observed_at = null where person = $1', [insider.user.id]);
    await emit('secret');
    await reader.untilClosed();
    expect(reader.events).toEqual([]);
    await inTenant('update member set access_observed_at = $2 where person = $1', [insider.user.id, env.clock.now()]);
    const back = await follow(insider, lastEventId);
    await back.waitForEvents(1);
    expect(reposOf(back)).toEqual(['secret']);
  });
});

describe('a stream ends', () => {
  it.each([
    ['in the process that the reader is connected to', () => env.baseUrl],
    ['in another one', () => neighbour.url],
  ])('at once when the session ends, %s', async (_, urlOf) => {
    const user = await signInUser();
    const reader = await follow(user, undefined, urlOf());
    const other = await follow(await signInUser(), undefined, urlOf());
    expect((await user.send('POST', '/api/auth/logout')).status).toBe(204);
    await reader.untilClosed();
    await emit('open');
    await other.waitForEvents(1);
    expect([reader.events, other.isClosed]).toEqual([[], false]);
  });

  it('at once when the user is removed from the workspace', async () => {
    const [admin, member] = [await signInUser({ role: 'admin' }), await signInUser()];
    const reader = await follow(member, undefined, neighbour.url);
    expect((await admin.send('DELETE', `/api/team/members/${member.user.id}`)).status).toBe(204);
    await reader.untilClosed();
    expect((await follow(member)).status).toBe(403);
  });

  it('at once when the session selects another workspace, and not when it selects the same', async () => {
    const user = await signInUser();
    await signIn(env, user.user, { organization: elsewhere });
    const reader = await follow(user);
    await user.send('POST', '/api/auth/workspace', { org: 'acme' });
    await emit('open');
    await reader.waitForEvents(1);
    await user.send('POST', '/api/auth/workspace', { org: 'elsewhere' });
    await reader.untilClosed();
  });

  it('not when an admin becomes a member, who receives an event', async () => {
    const [admin, demoted] = [await signInUser({ role: 'admin' }), await signInUser({ role: 'admin' })];
    const reader = await follow(demoted);
    expect((await admin.send('PATCH', `/api/team/members/${demoted.user.id}`, { role: 'member' })).status).toBe(200);
    await emit('open');
    await reader.waitForEvents(1);
    await env.app.get(EventStreamsService).closeUnauthorized();
    expect(reader.isClosed).toBe(false);
  });

  it('with the next event when the membership of the user is unknown', async () => {
    const user = await signInUser();
    const reader = await follow(user);
    await inTenant(`update member set confirmed_at = 'epoch' where person = $1`, [user.user.id]);
    await emit('open');
    await reader.untilClosed();
    expect(reader.events).toEqual([]);
  });

  it('within a minute when the membership is unknown, and when the session was idle for too long', async () => {
    const [stale, idle] = [await signInUser(), await signInUser()];
    const [first, second] = [await follow(stale), await follow(idle)];
    await inTenant(`update member set confirmed_at = 'epoch' where person = $1`, [stale.user.id]);
    await env.app.get(EventStreamsService).closeUnauthorized();
    await first.untilClosed();
    expect(second.isClosed).toBe(false);
    env.clock.advance(12 * HOUR_MS);
    await inTenant(`update member set confirmed_at = $1, access_observed_at = $1`, [env.clock.now()]);
    await env.app.get(EventStreamsService).closeUnauthorized();
    await second.untilClosed();
  });
});
