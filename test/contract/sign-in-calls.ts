import { expect } from '@jest/globals';
import type { TestDatabase } from '../support/database.js';
import type { BuiltService } from './built-service.js';
import type { CallOperation } from './contract-call.js';
import { type GivenGitHub, PUBLIC_URL } from './given-github.js';
import { givenSession } from './given-session.js';
import { givenUsedUpLimit } from './given-used-up-limit.js';

const NUL = { x: '\u0000' };
const OUR_PAGE = { origin: PUBLIC_URL };
const DEEP = `${'['.repeat(70)}${']'.repeat(70)}`;
const CROWDED_ADDRESS = '203.0.113.201';

/** Begins a sign-in as a browser does, with the consent of the user. Returns the parameters of the callback. */
export async function begun({ url }: Pick<BuiltService, 'url'>, { ada }: Pick<GivenGitHub, 'ada'>) {
  const login = await fetch(`${url}/api/auth/login`, { redirect: 'manual' });
  const [cookie = ''] = (login.headers.get('set-cookie') ?? '').split(';');
  const consent = await fetch(`${login.headers.get('location')}&login=${ada.login}`, { redirect: 'manual' });
  const { code = '', state = '' } = Object.fromEntries(new URL(consent.headers.get('location') ?? '').searchParams);
  return { code, state, headers: { cookie } };
}

interface GivenWayIn {
  readonly of: BuiltService;
  /** A service without an app. */
  readonly unconfigured: BuiltService;
  readonly host: GivenGitHub;
  readonly database: TestDatabase;
}

/** Provokes every documented response of the sign-in. */
export async function callSignIn(call: CallOperation, { of, unconfigured, host, database }: GivenWayIn): Promise<void> {
  expect(await call('startSignIn', { of, query: { returnTo: '/releases' } })).toBe(302);
  expect(await call('startSignIn', { of, query: { returnTo: '//elsewhere.example' } })).toBe(400);
  expect(await call('startSignIn', { of: unconfigured })).toBe(503);

  const { code, state, headers } = await begun(of, host);
  expect(await call('completeSignIn', { of, query: { code, state } })).toBe(400);
  expect(await call('completeSignIn', { of, query: { code, state }, headers })).toBe(302);
  const refused = await begun(of, host);
  const query = { error: 'access_denied', state: refused.state };
  expect(await call('completeSignIn', { of, query, headers: refused.headers })).toBe(403);
  expect(await call('completeSignIn', { of: unconfigured })).toBe(503);

  await givenUsedUpLimit(database, `auth:${CROWDED_ADDRESS}`);
  for (const operationId of ['startSignIn', 'completeSignIn']) {
    expect(await call(operationId, { of, address: CROWDED_ADDRESS })).toBe(429);
  }
}

/** Provokes every documented response about the session of a user, signed in or not. */
export async function callSession(call: CallOperation, of: BuiltService, database: TestDatabase): Promise<void> {
  const signedIn = { of, headers: { cookie: await givenSession(database, 'member') } };
  const { headers } = signedIn;
  for (const operationId of ['getCurrentUser', 'listWorkspaces']) {
    expect(await call(operationId, signedIn)).toBe(200);
    expect(await call(operationId, { ...signedIn, query: NUL })).toBe(400);
    expect(await call(operationId, { of })).toBe(401);
  }
  const asOurs = { of, headers: { ...headers, ...OUR_PAGE } };
  expect(await call('selectWorkspace', { ...asOurs, body: { org: 'acme' } })).toBe(200);
  expect(await call('selectWorkspace', { ...asOurs, body: { org: 7 } })).toBe(400);
  expect(await call('selectWorkspace', { ...asOurs, body: { org: 'elsewhere' } })).toBe(403);
  for (const operationId of ['selectWorkspace', 'signOut']) {
    expect(await call(operationId, { of, body: { org: 'acme' } })).toBe(401);
    expect(await call(operationId, { ...signedIn, body: { org: 'acme' } })).toBe(403);
    expect(await call(operationId, { ...asOurs, body: DEEP })).toBe(413);
    const asXml = { ...asOurs.headers, 'content-type': 'application/xml' };
    expect(await call(operationId, { of, headers: asXml, body: '<a/>' })).toBe(415);
  }
  expect(await call('signOut', { ...asOurs, query: NUL })).toBe(400);
  expect(await call('signOut', asOurs)).toBe(204);
}

export async function callSignInWithoutDatabase(call: CallOperation, of: BuiltService, cookie: string): Promise<void> {
  const headers = { cookie, ...OUR_PAGE };
  expect(await call('getCurrentUser', { of, headers })).toBe(503);
  expect(await call('listWorkspaces', { of, headers })).toBe(503);
  expect(await call('selectWorkspace', { of, headers, body: { org: 'acme' } })).toBe(503);
  expect(await call('signOut', { of, headers })).toBe(503);
}
