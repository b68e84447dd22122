import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { TestDatabase } from '../support/database.js';
import type { BuiltService } from './built-service.js';
import type { Call, CallOperation } from './contract-call.js';
import { PUBLIC_URL } from './given-github.js';
import { givenSession } from './given-session.js';

const NUL = { x: '\u0000' };
const DEEP = `${'['.repeat(70)}${']'.repeat(70)}`;
const MAX_REPOSITORIES = 100;
/** The GitHub id of the first repository that is created here. */
const PART = 600_000;
const DETAILS = { description: 'For the shop.', targetDate: '2026-09-30' };
const BODIES: Readonly<Record<string, object | undefined>> = {
  listProjects: undefined,
  getProject: undefined,
  createProject: { name: 'Nowhere' },
  updateProject: DETAILS,
  deleteProject: undefined,
  linkRelease: { milestoneId: null },
  unlinkRelease: undefined,
};
const READING = ['listProjects', 'getProject'];
const WITHOUT_ID = ['listProjects', 'createProject'];
const NOWHERE = { id: randomUUID(), repoId: randomUUID() };
const FILTERS: readonly Readonly<Record<string, string>>[] = [
  {},
  { search: 'CHECKOUT' },
  { search: 'part-0' },
  { search: 'v1' },
  { search: 'nothing' },
  { org: 'Acme' },
  { org: 'elsewhere' },
  { org: 'acme', search: 'checkout' },
];
const PAGES: readonly Readonly<Record<string, string>>[] = [
  {},
  ...['10', '25', '50'].map((pageSize) => ({ pageSize })),
  ...['1', '2', '100000'].map((page) => ({ page })),
];
const REFUSED: readonly Readonly<Record<string, string>>[] = [
  { page: '0' },
  { page: '1.5' },
  { pageSize: '20' },
  { search: '' },
  { search: 'x'.repeat(201) },
  { org: '' },
  NUL,
];

/** A request from a page of the service, by one user. */
type FromPage = Call & { readonly of: BuiltService; readonly headers: Readonly<Record<string, string>> };

/** Provokes every documented response about projects. */
export async function callProjects(call: CallOperation, of: BuiltService, database: TestDatabase): Promise<void> {
  const session = async (role: 'member' | null): Promise<FromPage> => ({
    of,
    headers: { cookie: await givenSession(database, role), origin: PUBLIC_URL },
  });
  const [mia, bob, outsider] = [await session('member'), await session('member'), await session(null)];
  await callList(call, bob);
  const id = await create(mia, 'Checkout');
  const { repoId, milestoneId } = await giveParts(database);
  const link = (body?: object): Promise<number> =>
    call('linkRelease', { ...mia, path: { id, repoId }, ...(body && { body }) });
  expect(await link()).toBe(200);
  expect(await link({ milestoneId: randomUUID() })).toBe(404);
  expect(await link({ milestoneId })).toBe(200);
  await callList(call, bob);
  expect(await call('unlinkRelease', { ...mia, path: { id, repoId } })).toBe(204);
  await fill(database, id);
  expect(await link()).toBe(409);

  expect(await call('createProject', { ...mia, body: { name: 'Second', ...DETAILS } })).toBe(201);
  expect(await call('createProject', { ...mia, body: { name: 'SECOND' } })).toBe(409);
  const path = { ...NOWHERE, id };
  expect(await call('getProject', { ...mia, path })).toBe(200);
  expect(await call('updateProject', { ...mia, path, body: DETAILS })).toBe(200);
  expect(await call('updateProject', { ...mia, path, body: { name: 'second' } })).toBe(409);
  expect(await call('deleteProject', { ...mia, path })).toBe(403);
  await takeParts(database);
  expect(await call('deleteProject', { ...mia, path })).toBe(204);
  await callBadly(call, mia, outsider);
}

async function callList(call: CallOperation, mia: FromPage): Promise<void> {
  for (const filter of FILTERS) {
    for (const page of PAGES) expect(await call('listProjects', { ...mia, query: { ...filter, ...page } })).toBe(200);
  }
  for (const query of REFUSED) expect(await call('listProjects', { ...mia, query })).toBe(400);
}

/** Provokes the errors that do not depend on the project, and those for a project that does not exist. */
async function callBadly(call: CallOperation, mia: FromPage, outsider: FromPage): Promise<void> {
  const asXml = { ...mia.headers, 'content-type': 'application/xml' };
  for (const [operationId, body] of Object.entries(BODIES)) {
    const request: Call = { path: NOWHERE, ...(body && { body }) };
    expect(await call(operationId, { ...mia, ...request, query: NUL })).toBe(400);
    expect(await call(operationId, { of: mia.of, ...request })).toBe(401);
    expect(await call(operationId, { ...outsider, ...request })).toBe(403);
    if (!WITHOUT_ID.includes(operationId)) expect(await call(operationId, { ...mia, ...request })).toBe(404);
    if (READING.includes(operationId)) continue;
    expect(await call(operationId, { ...mia, path: NOWHERE, body: DEEP })).toBe(413);
    expect(await call(operationId, { ...mia, path: NOWHERE, headers: asXml, body: '<a/>' })).toBe(415);
  }
}

async function create({ of, headers }: FromPage, name: string): Promise<string> {
  const response = await fetch(`${of.url}/api/projects`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  return ((await response.json()) as { readonly id: string }).id;
}

/** A repository with a release. */
async function giveParts({ superuserUrl }: TestDatabase): Promise<{
  readonly repoId: string;
  readonly milestoneId: string;
}> {
  const [repoId, milestoneId] = [randomUUID(), randomUUID()];
  await withDedicatedClient(superuserUrl, (client) =>
    client.query(
      `with part as (
         insert into repository (org_id, id, github_id, name, private, default_branch, created_at, updated_at)
         select org_id, '${repoId}', ${PART}, 'part-0', false, 'main', now(), now()
         from organization where login = 'acme' returning org_id, id)
       insert into release (org_id, id, repository_id, version, milestone_github_id, milestone_number, title,
         milestone_url, stage, created_at, updated_at)
       select org_id, '${milestoneId}', id, 'v1.0.0', 600000, 1, 'v1.0.0',
         'https://github.com/acme/part-0/milestone/1', 'TESTING', now(), now() from part`,
    ),
  );
  return { repoId, milestoneId };
}

/** Adds the maximum number of other repositories to the project. */
const fill = ({ superuserUrl }: TestDatabase, projectId: string): Promise<unknown> =>
  withDedicatedClient(superuserUrl, (client) =>
    client.query(
      `with part as (
         insert into repository (org_id, id, github_id, name, private, default_branch, created_at, updated_at)
         select org_id, gen_random_uuid(), ${PART} + n, 'part-' || n, true, 'main', now(), now()
         from organization, generate_series(1, ${MAX_REPOSITORIES}) n where login = 'acme' returning org_id, id)
       insert into project_repository (org_id, project_id, repository_id) select org_id, '${projectId}', id from part`,
    ),
  );

/** Removes the repositories from the app, so that the other calls do not list them. */
const takeParts = ({ superuserUrl }: TestDatabase): Promise<unknown> =>
  withDedicatedClient(superuserUrl, (client) =>
    client.query(
      `update repository set removed_at = now() where github_id between ${PART} and ${PART + MAX_REPOSITORIES}`,
    ),
  );

export async function callProjectsWithoutDatabase(
  call: CallOperation,
  of: BuiltService,
  cookie: string,
): Promise<void> {
  for (const [operationId, body] of Object.entries(BODIES)) {
    const headers = { cookie, origin: PUBLIC_URL };
    const answer = await call(operationId, { of, headers, path: NOWHERE, ...(body && { body }) });
    expect([operationId, answer]).toEqual([operationId, 503]);
  }
}
