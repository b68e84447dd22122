import { expect } from '@jest/globals';
import type { MemberRole } from '../../src/auth/user.js';
import type { TestDatabase } from '../support/database.js';
import type { BuiltService } from './built-service.js';
import type { Call, CallOperation } from './contract-call.js';
import { PUBLIC_URL } from './given-github.js';
import { givenSession } from './given-session.js';

export const DEEP = `${'['.repeat(70)}${']'.repeat(70)}`;

/** Requests from a page of the service, by an admin, a member, and a user who does not belong to the workspace. */
export interface GivenCallers {
  readonly of: BuiltService;
  readonly admin: Call;
  readonly member: Call;
  readonly outsider: Call;
}

export async function givenCallers(of: BuiltService, database: TestDatabase): Promise<GivenCallers> {
  const fromPage = async (role: MemberRole | null): Promise<Call> => ({
    of,
    headers: { cookie: await givenSession(database, role), origin: PUBLIC_URL },
  });
  return { of, admin: await fromPage('admin'), member: await fromPage('member'), outsider: await fromPage(null) };
}

/** Provokes every error that an admin's request for a repository can get before the repository is read. */
export async function callWithInsufficientRole(
  call: CallOperation,
  operationId: string,
  { of, admin, member, outsider }: GivenCallers,
  path: { readonly repoId: string },
): Promise<void> {
  expect(await call(operationId, { ...admin, path, body: { pat: 'two words' } })).toBe(400);
  expect(await call(operationId, { of, path })).toBe(401);
  expect(await call(operationId, { ...outsider, path })).toBe(403);
  expect(await call(operationId, { ...member, path })).toBe(403);
  expect(await call(operationId, { ...admin, path })).toBe(404);
  expect(await call(operationId, { ...admin, path, body: DEEP })).toBe(413);
  const asXml = { ...admin.headers, 'content-type': 'application/xml' };
  expect(await call(operationId, { ...admin, path, headers: asXml, body: '<a/>' })).toBe(415);
}
