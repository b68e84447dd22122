import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { hashSetupCode } from '../../src/features/setup/setup.service.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { BuiltService } from './built-service.js';
import type { CallOperation } from './contract-call.js';
import { type GivenGitHub, PUBLIC_URL } from './given-github.js';
import { givenSession } from './given-session.js';
import { givenUsedUpLimit } from './given-used-up-limit.js';
import { begun } from './sign-in-calls.js';

const NUL = { x: '\u0000' };
const DEEP = `${'['.repeat(70)}${']'.repeat(70)}`;
const CODE = 'A1B2C-D3E4F-G5H6J-K7M8N';
const CROWDED_ADDRESS = '203.0.113.211';
const GUESSING_ADDRESS = '203.0.113.212';
/**
 * Provokes every documented response of a first run and of connecting an organization, with its own service and
 * database.
 */
export async function callSetup(call: CallOperation, host: GivenGitHub): Promise<void> {
  const database = await createTestDatabase();
  const { GITHUB_URL = '', GITHUB_API_URL = '' } = host.variables;
  const of = await BuiltService.start({
    BASE_URL: PUBLIC_URL,
    GITHUB_URL,
    GITHUB_API_URL,
    DATABASE_URL: database.appUrl,
    DATABASE_MIGRATION_URL: database.ownerUrl,
  });
  try {
    await callFirstRun(call, of, host, database);
    await callInstallation(call, of, host);
    await callPublicTooOften(call, of, database);
  } finally {
    await of.stop();
    await database.drop();
  }
}

async function callFirstRun(
  call: CallOperation,
  of: BuiltService,
  { github, variables }: GivenGitHub,
  database: TestDatabase,
): Promise<void> {
  await withDedicatedClient(database.superuserUrl, (client) =>
    client.query('select add_setup_code($1, now())', [hashSetupCode(CODE)]),
  );
  const body = {
    setupCode: CODE,
    appId: variables['GITHUB_APP_ID'],
    clientId: variables['GITHUB_APP_CLIENT_ID'],
    clientSecret: variables['GITHUB_APP_CLIENT_SECRET'],
    webhookSecret: variables['GITHUB_WEBHOOK_SECRET'],
    privateKey: variables['GITHUB_APP_PRIVATE_KEY'],
  };
  const setUp = (changes: object = {}): Promise<number> => call('completeSetup', { of, body: { ...body, ...changes } });
  expect(await call('getSetupStatus', { of })).toBe(200);
  expect(await call('getSetupStatus', { of, query: NUL })).toBe(400);
  expect(await setUp({ appId: 'seven' })).toBe(400);
  expect(await setUp({ clientSecret: 'another' })).toBe(422);
  github.faults.next({ kind: '5xx', match: /^GET \/app$/, times: 3 });
  expect(await setUp()).toBe(503);
  expect(await call('completeSetup', { of, body: DEEP })).toBe(413);
  expect(await call('completeSetup', { of, headers: { 'content-type': 'application/xml' }, body: '<a/>' })).toBe(415);
  const wrong = { of, body: { ...body, setupCode: 'none' }, address: GUESSING_ADDRESS };
  expect(await setUp({ setupCode: 'none' })).toBe(403);
  await givenUsedUpLimit(database, `failed-credentials:${GUESSING_ADDRESS}`);
  expect(await call('completeSetup', wrong)).toBe(429);
  expect(await setUp()).toBe(201);
  expect(await setUp()).toBe(409);
  expect(await call('getSetupStatus', { of })).toBe(200);
}

async function callInstallation(call: CallOperation, of: BuiltService, host: GivenGitHub): Promise<void> {
  const { github, ada, variables } = host;
  const app = github.state.apps.findBySlug(variables['GITHUB_APP_SLUG'] ?? '');
  if (!app) throw new TypeError('GitHub has no app any more.');
  const [owned, joined, foreign] = ['owned', 'joined', 'foreign'].map((login) => {
    const organization = github.createOrganization({ login });
    if (login !== 'foreign') organization.addMember(ada, login === 'owned' ? 'admin' : 'member');
    return String(github.installApp(app, organization).id);
  });
  const arrive = (id = '', headers: Record<string, string> = {}): Promise<number> =>
    call('completeInstallation', { of, headers, query: { installation_id: id, setup_action: 'install' } });
  expect(await arrive(owned)).toBe(302);
  const { code, state, headers } = await begun(of, host);
  const query = new URLSearchParams({ code, state }).toString();
  const signedIn = await fetch(`${of.url}/api/auth/callback?${query}`, { headers, redirect: 'manual' });
  const cookie = signedIn.headers
    .getSetCookie()
    .map((one) => one.split(';', 1)[0])
    .find((one) => one?.startsWith('connect.sid='));
  const ours = { cookie: cookie ?? '' };
  expect(await arrive('none', ours)).toBe(400);
  expect(await arrive(joined, ours)).toBe(403);
  expect(await arrive(foreign, ours)).toBe(404);
  // The other services send this request, too.
  github.faults.next({ kind: '5xx', match: /^GET \/app\/installations\/\d+$/, times: 1_000 });
  expect(await arrive(owned, ours)).toBe(503);
  github.faults.clear();
  // Jobs got the same error, so the service may not call GitHub for a few more seconds. A user may try six times a
  // minute.
  let status = await arrive(owned, ours);
  for (let tries = 0; status === 503 && tries < 5; tries += 1) {
    await sleep(tries === 0 ? 6_000 : 20_000);
    status = await arrive(owned, ours);
  }
  expect(status).toBe(302);
}

/** The limit counts the requests of the address to all public routes together. */
async function callPublicTooOften(call: CallOperation, of: BuiltService, database: TestDatabase): Promise<void> {
  const crowded = { of, address: CROWDED_ADDRESS };
  await givenUsedUpLimit(database, `public:${CROWDED_ADDRESS}`);
  for (const operationId of ['getSetupStatus', 'completeInstallation']) {
    expect(await call(operationId, crowded)).toBe(429);
  }
}

/** Provokes every documented response about the warnings of repositories. */
export async function callWarnings(call: CallOperation, of: BuiltService, database: TestDatabase): Promise<void> {
  const [member, outsider] = await Promise.all(
    (['member', null] as const).map(async (role) => ({ of, headers: { cookie: await givenSession(database, role) } })),
  );
  expect(await call('listRepositoryWarnings', { ...member, query: NUL })).toBe(400);
  expect(await call('listRepositoryWarnings', { of })).toBe(401);
  expect(await call('listRepositoryWarnings', outsider)).toBe(403);
  expect(await call('listRepositoryWarnings', member)).toBe(200);
}
