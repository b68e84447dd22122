import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { TestDatabase } from '../support/database.js';
import type { BuiltService } from './built-service.js';
import type { Call, CallOperation } from './contract-call.js';
import { PUBLIC_URL } from './given-github.js';
import { givenSession } from './given-session.js';
import type { GivenWorkspace } from './given-workspace.js';

const statement = (changes: object = {}): object => ({
  repo: 'acme/payments',
  version: 'v1.4.0',
  name: 'api',
  digest: `sha256:${'a'.repeat(64)}`,
  commit_sha: 'c'.repeat(40),
  bundle: { mediaType: 'none' },
  ...changes,
});

/** Provokes every documented response to the statement of an artifact. */
export async function callArtifactStatement(
  call: CallOperation,
  { both, gateOnly }: GivenWorkspace['keys'],
  { superuserUrl }: TestDatabase,
): Promise<void> {
  const send = (body: Call['body'], more: Call = {}): Promise<number> =>
    call('stateArtifact', { bearer: both, body, ...more });
  expect(await send(statement())).toBe(201);
  expect(await send(statement())).toBe(200);
  expect(await send(statement({ digest: 'sha256:1' }))).toBe(400);
  expect(await call('stateArtifact', { body: statement() })).toBe(401);
  expect(await send(statement(), { bearer: gateOnly })).toBe(403);
  expect(await send(statement({ version: 'v9.9.9' }))).toBe(404);
  expect(await send(statement({ bundle: { x: 'x'.repeat(1_100_000) } }))).toBe(413);
  expect(await send('<a/>', { headers: { 'content-type': 'application/xml' } })).toBe(415);
  expect(await send(statement({ bundle: undefined }))).toBe(422);
  const setShipped = (at: string): Promise<unknown> =>
    withDedicatedClient(superuserUrl, (client) =>
      client.query(`update release set shipped_at = ${at} where version = 'v1.4.0'`),
    );
  await setShipped('now()');
  expect(await send(statement({ name: 'web' }))).toBe(409);
  await setShipped('null');
}

/** Provokes every documented response to a request for the artifacts of a release. */
export async function callArtifacts(call: CallOperation, of: BuiltService, database: TestDatabase): Promise<void> {
  const session = async (role: 'member' | null): Promise<Call> => ({
    of,
    headers: { cookie: await givenSession(database, role), origin: PUBLIC_URL },
  });
  const [member, outsider] = [await session('member'), await session(null)];
  const path = await withDedicatedClient(database.superuserUrl, async (client) => {
    await client.query(`update repository set private = false where name = 'payments'`);
    const { rows } = await client.query<{ id: string }>(`select id from release where version = 'v1.4.0' limit 1`);
    return { id: rows[0]?.id ?? '' };
  });
  expect(await call('listArtifacts', { ...member, path })).toBe(200);
  expect(await call('listArtifacts', { ...member, path, query: { x: '\u0000' } })).toBe(400);
  expect(await call('listArtifacts', { of, path })).toBe(401);
  expect(await call('listArtifacts', { ...outsider, path })).toBe(403);
  expect(await call('listArtifacts', { ...member, path: { id: randomUUID() } })).toBe(404);
}

/** Provokes every documented response about what is deployed where. */
export async function callEnvironments(call: CallOperation, of: BuiltService, database: TestDatabase): Promise<void> {
  const session = async (role: 'member' | null): Promise<Call> => ({
    of,
    headers: { cookie: await givenSession(database, role), origin: PUBLIC_URL },
  });
  const [member, outsider] = [await session('member'), await session(null)];
  const path = await withDedicatedClient(database.superuserUrl, async (client) => {
    const { rows } = await client.query<{ id: string }>(`select id from release where version = 'v1.4.0' limit 1`);
    return { id: rows[0]?.id ?? '' };
  });
  expect(await call('listEnvironments', { ...member, query: { search: 'pay', page: '1', pageSize: '10' } })).toBe(200);
  expect(await call('listEnvironments', { ...member, query: { page: '0' } })).toBe(400);
  expect(await call('listEnvironments', { of })).toBe(401);
  expect(await call('listEnvironments', outsider)).toBe(403);
  expect(await call('listReleaseDeployments', { ...member, path, query: { page: '1' } })).toBe(200);
  expect(await call('listReleaseDeployments', { ...member, path, query: { page: '0' } })).toBe(400);
  expect(await call('listReleaseDeployments', { of, path })).toBe(401);
  expect(await call('listReleaseDeployments', { ...outsider, path })).toBe(403);
  expect(await call('listReleaseDeployments', { ...member, path: { id: randomUUID() } })).toBe(404);
}

export const callArtifactsWithoutDatabase = async (
  call: CallOperation,
  of: BuiltService,
  cookie: string,
): Promise<void> => {
  const path = { id: randomUUID() };
  expect(await call('listArtifacts', { of, headers: { cookie }, path })).toBe(503);
  expect(await call('listReleaseDeployments', { of, headers: { cookie }, path })).toBe(503);
  expect(await call('listEnvironments', { of, headers: { cookie } })).toBe(503);
};
