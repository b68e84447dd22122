import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { listRoutes } from '../support/route-list.js';
import { FOREIGN_IDS } from '../architecture/access-foreign-ids.js';
import { ACCESS_REQUESTS } from '../architecture/access-requests.js';
import { AccessScenario, VERSION } from '../architecture/access-scenario.js';
import type { UserSession } from '../support/user-session.js';

/** Headers that differ in each response. */
const OF_THE_ANSWER_ALONE = new Set(['date', 'x-request-id']);

let scenario: AccessScenario;
/** An admin of another workspace than that of the ids. */
let outsider: UserSession;

beforeAll(async () => {
  scenario = await AccessScenario.start();
  outsider = await scenario.createUser('admin', scenario.elsewhere);
});
afterAll(() => scenario.env.stop());

/** Everything in a response that a caller can compare. */
async function whole(answer: Promise<{ status: number; headers: Headers; body: unknown }>): Promise<object> {
  const { status, headers, body } = await answer;
  return { status, body, headers: [...headers].filter(([name]) => !OF_THE_ANSWER_ALONE.has(name)) };
}

describe('an id of another workspace', () => {
  it('is tested, or known to name nothing of a workspace, in every parameter of every route', () => {
    const parameters = listRoutes(scenario.env.app).flatMap(({ method, path }) =>
      [...path.matchAll(/:(\w+)/g)].map(([, name]) => `${method} ${path} ${name}`),
    );
    expect(Object.keys(FOREIGN_IDS).toSorted()).toEqual(parameters.toSorted());
  });

  const tried = Object.entries(FOREIGN_IDS).flatMap(([parameter, make]) =>
    typeof make === 'string' ? [] : [[parameter, make] as const],
  );

  it.each(tried)('gets the same response as an unknown id: %s', async (parameter, make) => {
    const [method = '', template = '', name = ''] = parameter.split(' ');
    const { foreign, unknown } = await make(scenario);
    const { body } = (await ACCESS_REQUESTS[`${method} ${template}`]?.(scenario, null)) ?? {};
    const request = (id: string) => whole(outsider.send(method, template.replace(`:${name}`, id), body));
    const answer = await request(foreign);
    expect(answer).toMatchObject({ status: 404, body: { error: expect.any(String) } });
    expect(answer).toEqual(await request(unknown));
    expect(JSON.stringify(answer)).not.toContain(foreign);
  });
});

describe('an id of a private repository of the workspace that the user cannot read', () => {
  /**
   * Parameters that name no part of a repository: a freeze, a key, an invite, a project, a request, a user, or the
   * organization itself.
   */
  const OF_THE_WORKSPACE = /freezes|settings|team|billing|projects\/:id(\/repos\/:repoId)? id$| owner$/;
  const tried = Object.entries(FOREIGN_IDS).flatMap(([parameter, make]) =>
    typeof make === 'string' || OF_THE_WORKSPACE.test(parameter) ? [] : [[parameter, make] as const],
  );
  let colleague: UserSession;
  beforeAll(async () => {
    colleague = await scenario.createUser('admin');
  });
  afterEach(() => scenario.env.asSuperuser('update repository set private = false'));

  it.each(tried)('gets the same response as an unknown id: %s', async (parameter, make) => {
    const [method = '', template = '', name = ''] = parameter.split(' ');
    const { foreign: hidden, unknown } = await make(scenario);
    const { params = {}, body } = (await ACCESS_REQUESTS[`${method} ${template}`]?.(scenario, null)) ?? {};
    await scenario.env.asSuperuser('update repository set private = true');
    const request = (id: string) => {
      const named: Readonly<Record<string, string>> = { owner: 'acme', ...params, [name]: id };
      return whole(
        colleague.send(
          method,
          template.replaceAll(/:(\w+)/g, (_, key: string) => named[key] ?? ''),
          body,
        ),
      );
    };
    const answer = await request(hidden);
    expect(answer).toMatchObject({ status: 404, body: { error: expect.any(String) } });
    expect(answer).toEqual(await request(unknown));
    expect(JSON.stringify(answer)).not.toContain(hidden);
  });
});

describe('a response to a request without an id', () => {
  it('contains nothing of another workspace, on any route for users', async () => {
    const { id: invite } = await scenario.invite();
    const { id: tools } = await scenario.personalKey(scenario.admin);
    const ids = [
      await scenario.apiKeyId(),
      await scenario.upgradeRequestId(),
      invite,
      tools,
      await scenario.env.orgId(),
    ];
    const foreign = [...ids, 'acme', 'payments', scenario.admin.user.login];
    const paths = listRoutes(scenario.env.app)
      .filter(({ method, path, rule }) => method === 'GET' && rule?.kind === 'session' && !path.includes(':'))
      .map(({ path }) => path)
      // A stream does not end by itself. `events-visibility` tests what it contains.
      .filter((path) => path !== '/api/events');
    const found: string[] = [];
    let seen = '';
    for (const path of paths) {
      const text = JSON.stringify((await outsider.get(path)).body);
      found.push(...foreign.filter((label) => text.includes(`"${label}"`)).map((label) => `${path}: ${label}`));
      seen += JSON.stringify((await scenario.admin.get(path)).body);
    }
    expect(found).toEqual([]);
    // A member can see them. Otherwise their absence would prove nothing.
    for (const label of [...ids.slice(0, 4), 'acme']) expect(seen).toContain(`"${label}"`);
  });
});

/** Names in the body and the query are tested too, because they can stand for an id like the path. */
describe('a name of another workspace', () => {
  const withKey = async (method: string, path: string, body?: object) => {
    const secret = await scenario.env.key(['evidence:write', 'gate:read'], scenario.elsewhere);
    const response = await fetch(`${scenario.env.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };

  it.each([
    ['payments', 'shipment'],
    ['acme/payments', 'acme/shipment'],
  ])('gets the same response at the gate as an unknown name: %s', async (foreign, unknown) => {
    const request = (repo: string) =>
      whole(withKey('GET', `/api/milestones/check?${new URLSearchParams({ repo, version: VERSION }).toString()}`));
    const answer = await request(foreign);
    expect(answer).toMatchObject({ status: 404 });
    expect(answer).toEqual(await request(unknown));
  });

  it.each([
    ['payments', 'shipment'],
    ['acme/payments', 'acme/shipment'],
  ])('gets the same response to an upload as an unknown name: %s', async (foreign, unknown) => {
    const { body } = await ACCESS_REQUESTS['POST /api/evidence/upload']!(scenario, null);
    const upload = (repo: string) => whole(withKey('POST', '/api/evidence/upload', { ...body, repo }));
    const answer = await upload(foreign);
    expect(answer).toMatchObject({ status: 404 });
    expect(answer).toEqual(await upload(unknown));
  });

  it.each([
    ['payments', 'shipment'],
    ['acme/payments', 'acme/shipment'],
  ])('is not a repository to which a key can be restricted: %s', async (foreign, unknown) => {
    const make = (repo: string) =>
      whole(outsider.send('POST', '/api/settings/api-keys', { name: 'ci', scopes: ['gate:read'], repos: [repo] }));
    const [answer, other] = [await make(foreign), await make(unknown)];
    expect(answer).toMatchObject({ status: 404 });
    // The message names only the requested repository. Both names have the same length.
    expect(JSON.stringify(answer).replaceAll(foreign, '…')).toEqual(JSON.stringify(other).replaceAll(unknown, '…'));
  });

  it('is not a workspace that can be selected', async () => {
    const select = (org: string) => whole(outsider.send('POST', '/api/auth/workspace', { org }));
    const answer = await select('acme');
    expect(answer).toMatchObject({ status: 403 });
    expect(answer).toEqual(await select('nowhere'));
  });
});
