import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
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
