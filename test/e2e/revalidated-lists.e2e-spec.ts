import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { User } from '../github-sim/state/user.js';
import { type UserSession, signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { ScopeScenario } from './scenarios/scope-scenario.js';

// Below every id that the simulated GitHub assigns, so that it can be configured before the user exists.
const OPERATOR = { id: 4_711, login: 'olga', name: 'Olga' } as unknown as User;

let env: TestEnvironment;
let scenario: ScopeScenario;
let ada: UserSession;
let operator: UserSession;

beforeAll(async () => {
  env = await TestEnvironment.start({ PLATFORM_ADMINS: String(OPERATOR.id) });
  scenario = new ScopeScenario(env, { name: 'payments' });
  for (const version of ['v1.0.0', 'v1.1.0']) scenario.milestone(version);
  await env.install();
  ada = await signIn(env, env.github.createUser({ login: 'ada' }), { role: 'admin' });
  operator = await signIn(env, OPERATOR, { role: null });
});
afterAll(() => env.stop());

const get = (by: UserSession, path: string, tag?: string) =>
  by.send('GET', path, undefined, tag === undefined ? {} : { 'if-none-match': tag });

/** The paths of all lists that have pages, by the OpenAPI document. */
async function listsWithPages(): Promise<readonly string[]> {
  const response = await fetch(`${env.baseUrl}/api/openapi.json`);
  const { paths } = (await response.json()) as {
    paths: Record<string, { get?: { parameters: readonly { name: string }[]; responses: object } }>;
  };
  const id = await scenario.id('v1.0.0');
  return Object.entries(paths).flatMap(([path, { get: operation }]) => {
    const hasPages = operation?.parameters.some(({ name }) => name === 'page') === true;
    if (operation && hasPages)
      expect([path, Object.keys(operation.responses)]).toEqual([path, expect.arrayContaining(['304'])]);
    const filled = path.replace('{owner}', 'acme').replace('{repo}', 'payments').replace('{id}', id);
    return hasPages ? [filled] : [];
  });
}

describe('a page of each list', () => {
  it('is not sent again as long as it is the same, which saves its whole body', async () => {
    const lists = await listsWithPages();
    expect(lists.length).toBeGreaterThanOrEqual(12);
    for (const path of lists) {
      const by = path.startsWith('/api/platform') ? operator : ada;
      const first = await get(by, `${path}?page=1&pageSize=10`);
      const tag = first.headers.get('etag') ?? '';
      expect([path, first.status, first.headers.get('cache-control'), tag]).toEqual([
        path,
        200,
        'no-store',
        expect.stringMatching(/^W\/"/),
      ]);
      const again = await get(by, `${path}?page=1&pageSize=10`, tag);
      const bytes = (body: object): number =>
        Buffer.byteLength('text' in body ? String(body.text) : JSON.stringify(body));
      expect([path, again.status, bytes(first.body) > 0, bytes(again.body)]).toEqual([path, 304, true, 0]);
    }
  });

  it('is not tagged if the whole list is requested', async () => {
    for (const path of ['/api/dashboard', '/api/repos', '/api/audit']) {
      const { headers } = await get(ada, path);
      expect([path, headers.get('etag'), headers.get('cache-control')]).toEqual([path, null, 'no-store']);
    }
  });
});

describe('the tag of a page', () => {
  const PAGE = '/api/dashboard?page=1&pageSize=10';
  const tagOf = async (by: UserSession, path = PAGE): Promise<string> =>
    (await get(by, path)).headers.get('etag') ?? '';

  it('changes with the page', async () => {
    const tag = await tagOf(ada);
    scenario.milestone('v1.2.0');
    await env.waitUntilIdle();
    const { status, body } = await get(ada, PAGE, tag);
    expect(status).toBe(200);
    expect(JSON.stringify(body)).toContain('v1.2.0');
  });

  it('does not give a user the page of another one, or of another workspace', async () => {
    const hidden = new ScopeScenario(env, { name: 'hidden' });
    hidden.repository.changeVisibility('private');
    hidden.milestone('v9.0.0');
    await env.waitUntilIdle();
    const reader = await signIn(env, env.github.createUser({ login: 'rea' }));
    await env.asSuperuser(
      `insert into repository_access (org_id, person, repository_github_id)
       values ('${await env.orgId(env.organization)}', ${reader.user.id}, ${hidden.repository.id})`,
    );
    const page = await get(reader, PAGE);
    expect(JSON.stringify(page.body)).toContain('hidden');
    const tag = page.headers.get('etag') ?? '';
    expect((await get(reader, PAGE, tag)).status).toBe(304);

    const elsewhere = env.github.createOrganization({ login: 'elsewhere' });
    await env.install(elsewhere);
    const outsider = await signIn(env, env.github.createUser({ login: 'otto' }), { organization: elsewhere });
    for (const other of [ada, outsider]) {
      const answer = await get(other, PAGE, tag);
      expect([answer.status, JSON.stringify(answer.body).includes('hidden')]).toEqual([200, false]);
    }
  });

  it('opens nothing to a user who may not read the list any more', async () => {
    const member = await signIn(env, env.github.createUser({ login: 'mia' }));
    const tag = await tagOf(member);
    expect((await get(member, PAGE, tag)).status).toBe(304);
    await ada.send('DELETE', `/api/team/members/${member.user.id}`);
    expect((await get(member, PAGE, tag)).status).toBe(403);
    expect((await get(member, PAGE, '*')).status).toBe(403);
    const page = await fetch(`${env.baseUrl}${PAGE}`, { headers: { 'if-none-match': tag } });
    expect(page.status).toBe(401);
  });

  it('does not matter if the request names another workspace', async () => {
    const tag = await tagOf(ada);
    const { status } = await ada.send('GET', PAGE, undefined, { 'if-none-match': tag, 'x-workspace': 'elsewhere' });
    expect(status).toBe(409);
  });
});
