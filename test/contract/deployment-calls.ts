import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { TestDatabase } from '../support/database.js';
import type { BuiltService } from './built-service.js';
import type { CallOperation } from './contract-call.js';
import { PUBLIC_URL } from './given-github.js';
import { givenSession } from './given-session.js';
import type { GivenWorkspace } from './given-workspace.js';

const COMMIT = 'f1d2d2f924e986ac86fdf7b36c94bcdf32beec15';
const report = (more: object = {}): object => ({
  repo: 'acme/payments',
  environment: 'production',
  deployment: 'build 412',
  status: 'started',
  commit_sha: COMMIT,
  ...more,
});
/** An ordinary report. */
export const DEPLOYMENT_REPORT = report();

const FILTERS: readonly Readonly<Record<string, string>>[] = [
  {},
  { repo: 'ACME/payments' },
  { repo: 'payments', environment: 'PRODUCTION' },
  { environment: 'nowhere' },
  { milestoneId: randomUUID() },
  { page: '2', pageSize: '50' },
];
const REFUSED: readonly Readonly<Record<string, string>>[] = [
  { repo: 'a/b/c' },
  { environment: '' },
  { milestoneId: '1' },
  { page: '0' },
  { x: '\u0000' },
];

/** Provokes every documented response to a report of a deployment. */
export async function callDeployments(
  call: CallOperation,
  { deploys, gateOnly }: GivenWorkspace['keys'],
): Promise<void> {
  const send = (body: object | string, bearer = deploys): Promise<number> => call('reportDeployment', { bearer, body });
  expect(await send(report())).toBe(201);
  expect(await send(report())).toBe(201);
  expect(await send(report({ status: 'succeeded', run_url: 'https://jenkins.example/job/412/' }))).toBe(201);
  expect(await send(report({ status: 'failed' }))).toBe(409);
  expect(await send(report({ commit_sha: 'ab'.repeat(20) }))).toBe(409);
  expect(await send(report({ status: 'done' }))).toBe(400);
  expect(await send(report({ deployment: 'later', at: '2999-01-01T00:00:00Z' }))).toBe(400);
  expect(await call('reportDeployment', { body: report() })).toBe(401);
  expect(await send(report(), gateOnly)).toBe(403);
  expect(await send(report({ repo: 'acme/nothing' }))).toBe(404);
  expect(await send(report({ deployment: 'by digest', digest: `sha256:${'0'.repeat(64)}` }))).toBe(404);
  expect(await send(report({ deployment: 'by version', version: 'v1.4.0', commit_sha: undefined }))).toBe(422);
  expect(await send(`${'['.repeat(70)}${']'.repeat(70)}`)).toBe(413);
  const asXml = { bearer: deploys, body: '<a/>', headers: { 'content-type': 'application/xml' } };
  expect(await call('reportDeployment', asXml)).toBe(415);
}

/** Provokes every documented response to a request for the reported deployments. */
export async function callReportedDeployments(
  call: CallOperation,
  of: BuiltService,
  database: TestDatabase,
): Promise<void> {
  const session = async (role: 'member' | null) => ({
    of,
    headers: { cookie: await givenSession(database, role), origin: PUBLIC_URL },
  });
  const [member, outsider] = [await session('member'), await session(null)];
  for (const query of FILTERS) expect(await call('listReportedDeployments', { ...member, query })).toBe(200);
  for (const query of REFUSED) expect(await call('listReportedDeployments', { ...member, query })).toBe(400);
  expect(await call('listReportedDeployments', { of })).toBe(401);
  expect(await call('listReportedDeployments', outsider)).toBe(403);
}

const OF_PRODUCTION = { path: { name: 'production' } };
/** An ordinary statement of what runs. */
export const RUNNING_STATEMENT = {
  ...OF_PRODUCTION,
  body: { repo: 'acme/payments', artifacts: [{ name: 'api', digest: `sha256:${'a'.repeat(64)}` }] },
};

/** Provokes every documented response to a statement of what runs. */
export async function callRunningStatement(
  call: CallOperation,
  { deploys, gateOnly }: GivenWorkspace['keys'],
  database: TestDatabase,
): Promise<void> {
  const { body } = RUNNING_STATEMENT;
  const send = (sent: object | string, name = 'production', bearer = deploys): Promise<number> =>
    call('stateRunning', { path: { name }, bearer, body: sent });
  expect(await send({ ...body, artifacts: [] }, 'nothing')).toBe(204);
  expect(await send(body)).toBe(204);
  await withDedicatedClient(database.superuserUrl, (client) =>
    client.query(`insert into running_statement (org_id, id, repository_id, environment, received_at)
      select org_id, gen_random_uuid(), repository_id, 'environment ' || n, received_at
      from running_statement, generate_series(1, 99) n`),
  );
  expect(await send(body, 'one more')).toBe(422);
  expect(await send({ ...body, artifacts: [{ name: 'api', digest: 'sha256:1' }] })).toBe(400);
  expect(await send({ ...body, at: '2999-01-01T00:00:00Z' })).toBe(400);
  expect(await call('stateRunning', RUNNING_STATEMENT)).toBe(401);
  expect(await send(body, 'production', gateOnly)).toBe(403);
  expect(await send({ ...body, repo: 'acme/nothing' })).toBe(404);
  expect(await send(`${'['.repeat(70)}${']'.repeat(70)}`)).toBe(413);
  const asXml = { ...OF_PRODUCTION, bearer: deploys, body: '<a/>', headers: { 'content-type': 'application/xml' } };
  expect(await call('stateRunning', asXml)).toBe(415);
}

/** Provokes every documented response to a request for what runs. */
export async function callRunning(call: CallOperation, of: BuiltService, database: TestDatabase): Promise<void> {
  const headersOf = async (role: 'member' | null) => ({
    of,
    headers: { cookie: await givenSession(database, role), origin: PUBLIC_URL },
  });
  const [member, outsider] = [await headersOf('member'), await headersOf(null)];
  const query = { repo: 'acme/payments' };
  await withDedicatedClient(database.superuserUrl, (client) =>
    client.query(`update repository set private = false where name = 'payments'`),
  );
  expect(await call('listRunningInEnvironment', { ...member, ...OF_PRODUCTION, query })).toBe(200);
  expect(await call('listRunningInEnvironment', { ...member, ...OF_PRODUCTION, query: { repo: 'nothing' } })).toBe(404);
  expect(await call('listRunningInEnvironment', { ...member, ...OF_PRODUCTION })).toBe(400);
  expect(await call('listRunningInEnvironment', { of, ...OF_PRODUCTION, query })).toBe(401);
  expect(await call('listRunningInEnvironment', { ...outsider, ...OF_PRODUCTION, query })).toBe(403);
  expect(await call('listRunning', { ...member, query: { ...query, environment: 'x', governed: 'false' } })).toBe(200);
  expect(await call('listRunning', { ...member, query: { x: '\u0000' } })).toBe(400);
  expect(await call('listRunning', { of })).toBe(401);
  expect(await call('listRunning', outsider)).toBe(403);
}
