import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { listRoutes } from '../support/route-list.js';
import { ACCESS_ANSWERS } from './access-answers.js';
import { CALLERS } from './access-callers.js';
import { ACCESS_REQUESTS, type AccessRequest } from './access-requests.js';
import { AccessScenario } from './access-scenario.js';

const [header = [], ...rows] = ACCESS_ANSWERS.trim()
  .split('\n')
  .map((line) => line.trim().split(/ {2,}/));
const [, ...callers] = header;

let scenario: AccessScenario;

beforeAll(async () => {
  scenario = await AccessScenario.start();
});
afterAll(() => scenario.env.stop());
// The service reads the membership of every signed-in user from GitHub with each event.
afterEach(() => scenario.sendHome());

describe('the responses of the service', () => {
  it('are listed in the table for every route and every caller', () => {
    const routes = listRoutes(scenario.env.app).map(({ method, path }) => `${method} ${path}`);
    expect(rows.map(([route = '']) => route).toSorted()).toEqual(routes.toSorted());
    expect(callers).toEqual(Object.keys(CALLERS));
    expect(Object.keys(ACCESS_REQUESTS).filter((route) => !routes.includes(route))).toEqual([]);
  });

  it.each(rows)('match the table for %s', async (route, ...statuses) => {
    const answers: string[] = [];
    for (const make of Object.values(CALLERS)) {
      const { user, headers } = await make(scenario, route ?? '');
      const request = await ACCESS_REQUESTS[route ?? '']?.(scenario, user);
      answers.push(String(await send(route ?? '', request ?? {}, headers)));
    }
    expect(answers).toEqual(statuses);
  });
});

async function send(route: string, { params = {}, query = {}, body }: AccessRequest, headers: object): Promise<number> {
  const [method = '', template = ''] = route.split(' ');
  const path = template.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const response = await fetch(`${scenario.env.baseUrl}${path}?${new URLSearchParams(query).toString()}`, {
    method,
    redirect: 'manual',
    headers: { ...headers, ...(body && !(body instanceof FormData) && { 'content-type': 'application/json' }) },
    ...(body && { body: body instanceof FormData ? body : JSON.stringify(body) }),
  });
  // A stream of events does not end by itself.
  if (response.headers.get('content-type')?.startsWith('text/event-stream') === true) await response.body?.cancel();
  else await response.arrayBuffer();
  return response.status;
}
