import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { TestDatabase } from '../support/database.js';
import type { BuiltService } from './built-service.js';
import type { Call, CallOperation } from './contract-call.js';
import { type GivenGitHub, PUBLIC_URL } from './given-github.js';
import { type GivenUser, GivenTeam } from './given-team.js';

const NUL = { x: '\u0000' };
const DEEP = `${'['.repeat(70)}${']'.repeat(70)}`;
const BODIES = {
  listMembers: undefined,
  changeMemberRole: { role: 'member' },
  removeMember: undefined,
  grantAuditor: undefined,
  revokeAuditor: undefined,
  createInvite: { role: 'member' },
  revokeInvite: undefined,
  previewInvite: { token: 'sgi_' },
  acceptInvite: { token: 'sgi_' },
} as const;
const OPERATIONS = Object.keys(BODIES) as (keyof typeof BODIES)[];
/** Any signed-in user may call them. Their answers depend on the invite. */
const OF_TOKEN = ['previewInvite', 'acceptInvite'] as const;
const CHANGING = OPERATIONS.filter((operationId) => operationId !== 'listMembers');

const isOfToken = (operationId: string): boolean => OF_TOKEN.some((known) => known === operationId);

/** A request from a page of the service, by one user. */
interface FromPage {
  readonly of: BuiltService;
  readonly headers: Readonly<Record<string, string>>;
}

const asPage = (of: BuiltService, cookie: string): FromPage => ({ of, headers: { cookie, origin: PUBLIC_URL } });

/** Creates an invite as a page does. Returns its id and its token. */
async function invited(
  { of, headers }: FromPage,
  body: object,
): Promise<{ readonly id: string; readonly token: string }> {
  const response = await fetch(`${of.url}/api/team/invites`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as { readonly id: string; readonly token: string };
}

/** Provokes every documented response about the team of a workspace and about invites. */
export async function callTeam(
  call: CallOperation,
  of: BuiltService,
  { database, host }: { readonly database: TestDatabase; readonly host: GivenGitHub },
): Promise<void> {
  const team = await GivenTeam.of(database, host);
  const [mia, zoe] = [await team.join('mia', 'member'), await team.join('zoe', null)];
  expect(await call('listMembers', asPage(of, (await team.join('ned', null)).cookie))).toBe(403);
  const admin = asPage(of, team.admin.cookie);
  await callMembers(call, admin, { team, mia });
  await callInvites(call, admin, { team, zoe });
  await callBadly(call, admin, asPage(of, (await team.join('tom', 'member')).cookie));
}

async function callMembers(
  call: CallOperation,
  admin: FromPage,
  { team, mia }: { readonly team: GivenTeam; readonly mia: GivenUser },
): Promise<void> {
  const member = { ...admin, path: { userId: String(mia.user.id) } };
  const lastAdmin = { ...admin, path: { userId: String(team.admin.user.id) } };
  const outsider = { ...admin, path: { userId: '1' } };
  expect(await call('listMembers', admin)).toBe(200);
  expect(await call('changeMemberRole', { ...member, body: { role: 'member' } })).toBe(200);
  expect(await call('changeMemberRole', { ...lastAdmin, body: { role: 'member' } })).toBe(409);
  expect(await call('removeMember', lastAdmin)).toBe(409);
  expect(await call('changeMemberRole', { ...outsider, body: { role: 'admin' } })).toBe(404);
  expect(await call('removeMember', outsider)).toBe(404);
  for (const operationId of ['grantAuditor', 'revokeAuditor']) {
    expect(await call(operationId, member)).toBe(200);
    expect(await call(operationId, outsider)).toBe(404);
  }
  expect(await call('removeMember', member)).toBe(204);
}

async function callInvites(
  call: CallOperation,
  admin: FromPage,
  { team, zoe }: { readonly team: GivenTeam; readonly zoe: GivenUser },
): Promise<void> {
  const guest = asPage(admin.of, zoe.cookie);
  expect(await call('createInvite', { ...admin, body: { role: 'member' } })).toBe(201);
  expect(await call('createInvite', { ...admin, body: { role: 'member', login: team.admin.user.login } })).toBe(409);
  expect(await call('createInvite', { ...admin, body: { role: 'member', login: 'nobody-at-all' } })).toBe(422);
  expect(await call('listMembers', admin)).toBe(200);

  const withdrawn = await invited(admin, { role: 'member' });
  expect(await call('revokeInvite', { ...admin, path: { id: withdrawn.id } })).toBe(204);
  expect(await call('revokeInvite', { ...admin, path: { id: withdrawn.id } })).toBe(404);
  const { token } = await invited(admin, { role: 'member', login: zoe.user.login });
  const other = asPage(admin.of, (await team.join('eve', null)).cookie);
  for (const operationId of OF_TOKEN) {
    expect(await call(operationId, { ...guest, body: { token: withdrawn.token } })).toBe(410);
    expect(await call(operationId, { ...guest, body: { token: 'sgi_' } })).toBe(404);
    expect(await call(operationId, { ...other, body: { token } })).toBe(403);
    expect(await call(operationId, { ...guest, body: { token } })).toBe(200);
  }
  for (const operationId of OF_TOKEN) expect(await call(operationId, { ...guest, body: { token } })).toBe(409);
}

/** Provokes the errors that do not depend on the team. */
async function callBadly(call: CallOperation, admin: FromPage, member: FromPage): Promise<void> {
  const path = { id: randomUUID(), userId: '1' };
  expect(await call('listMembers', { ...admin, query: NUL })).toBe(400);
  expect(await call('listMembers', { of: admin.of })).toBe(401);
  for (const operationId of CHANGING) {
    const body = BODIES[operationId];
    const request: Call = { path, ...(body && { body }) };
    expect(await call(operationId, { ...admin, ...request, query: NUL })).toBe(400);
    expect(await call(operationId, { of: admin.of, ...request })).toBe(401);
    if (!isOfToken(operationId)) expect(await call(operationId, { ...member, ...request })).toBe(403);
    expect(await call(operationId, { ...admin, path, body: DEEP })).toBe(413);
    const asXml = { ...admin.headers, 'content-type': 'application/xml' };
    expect(await call(operationId, { ...admin, path, headers: asXml, body: '<a/>' })).toBe(415);
  }
}

export async function callTeamWithoutDatabase(call: CallOperation, of: BuiltService, cookie: string): Promise<void> {
  const page = { ...asPage(of, cookie), path: { id: randomUUID(), userId: '1' } };
  for (const operationId of OPERATIONS) {
    const body = BODIES[operationId];
    expect([operationId, await call(operationId, { ...page, ...(body && { body }) })]).toEqual([operationId, 503]);
  }
}
