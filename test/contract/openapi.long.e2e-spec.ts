import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { keySecret, SECRET_BYTES } from '../../src/domain/keys/key-secret.js';
import { SERVICE_VERSION } from '../../src/config/service-version.js';
import { ACCESS_TABLE, DASHBOARD_ROUTES, LEGACY_ROUTES } from '../architecture/access-table.js';
import { OidcIssuer } from '../github-sim/oidc/oidc-issuer.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { callAuditPack, callAuditPackWithoutDatabase } from './audit-pack-calls.js';
import { callBilling, callBillingWithoutDatabase } from './billing-calls.js';
import { callBootstrap, callBootstrapWithoutDatabase } from './bootstrap-calls.js';
import { BuiltService } from './built-service.js';
import { Contract, type DescribedApi } from './contract.js';
import {
  callArtifacts,
  callArtifactStatement,
  callArtifactsWithoutDatabase,
  callEnvironments,
} from './artifact-calls.js';
import type { Call } from './contract-call.js';
import { callDecisions, callDecisionsWithoutDatabase } from './decision-calls.js';
import { callDiagnosis } from './diagnosis-calls.js';
import { callEvents } from './event-calls.js';
import {
  callDeployments,
  callReportedDeployments,
  callRunning,
  callRunningStatement,
  DEPLOYMENT_REPORT,
  RUNNING_STATEMENT,
} from './deployment-calls.js';
import { callEvidence, callEvidenceWithoutDatabase, callReportUpload, givenForm } from './evidence-calls.js';
import { givenAuditLog } from './given-audit-log.js';
import { type GivenGitHub, givenGitHub, PUBLIC_URL } from './given-github.js';
import { givenSession, givenSessionOverLimit, PLATFORM_ADMIN } from './given-session.js';
import { givenUsedUpLimit } from './given-used-up-limit.js';
import { type GivenWorkspace, givenWorkspace } from './given-workspace.js';
import { callHistory, callHistoryWithoutDatabase } from './history-calls.js';
import { callKeys, callKeysWithoutDatabase } from './key-calls.js';
import { callLists, callListsWithoutDatabase, callSearch } from './list-calls.js';
import { callMilestones, callMilestonesWithoutDatabase } from './milestone-calls.js';
import { callOverrides, callOverridesWithoutDatabase } from './override-calls.js';
import { callProjects, callProjectsWithoutDatabase } from './project-calls.js';
import { callProtection, callProtectionWithoutDatabase } from './protection-calls.js';
import { callQuality, callQualityWithoutDatabase } from './quality-calls.js';
import { callQualityExport, callQualityExportWithoutDatabase } from './quality-export-calls.js';
import { callReviews, callReviewsWithoutDatabase } from './review-calls.js';
import { callScope, callScopeWithoutDatabase } from './scope-calls.js';
import { callSetup, callWarnings } from './setup-calls.js';
import { TcpProxy } from './tcp-proxy.js';
import { callSession, callSignIn, callSignInWithoutDatabase } from './sign-in-calls.js';
import { callStatements, callStatementsWithoutDatabase } from './statement-calls.js';
import { callSync, callSyncWithoutDatabase } from './sync-calls.js';
import { callTeam, callTeamWithoutDatabase } from './team-calls.js';
import { callByPersonalKey, callTools, callToolsWithoutDatabase } from './tool-calls.js';
import { callWorkflows, callWorkflowsWithoutDatabase } from './workflow-calls.js';

const METRICS_TOKEN = 'metrics-token-0123456789';
const PATIENCE_MS = 240_000;
const TIRED_OPERATOR = 4999;
const COMMAND_LINE_TOOL = [
  'downloadCli',
  'getCliChecksum',
  'downloadCliPackage',
  'getCliPackageChecksum',
  'describeCli',
];
/** Only a build without the tool returns these. `command-line-tool.e2e-spec.ts` tests it. */
const WITHOUT_TOOL = COMMAND_LINE_TOOL.map((operationId) => `${operationId} 404`);

let issuer: OidcIssuer;
let database: TestDatabase;
let line: TcpProxy;
let service: BuiltService;
let withGitHub: BuiltService;
let host: GivenGitHub;
let workspace: GivenWorkspace;
let contract: Contract;
/** `Cookie` headers of users in the workspace. */
let admin: string;
let member: string;

beforeAll(async () => {
  BuiltService.build();
  [issuer, database, host] = await Promise.all([OidcIssuer.start(), createTestDatabase(), givenGitHub()]);
  workspace = await givenWorkspace(database);
  [admin, member] = [await givenSession(database, 'admin'), await givenSession(database, 'member')];
  await givenAuditLog(database);
  line = await TcpProxy.to(Number(new URL(database.appUrl).port));
  const surroundings = {
    OIDC_ISSUER: issuer.url,
    DATABASE_URL: through(database.appUrl),
    DATABASE_MIGRATION_URL: through(database.ownerUrl),
  };
  service = await BuiltService.start({ ...surroundings, METRICS_TOKEN });
  // Without a token for metrics, but with an app for the sign-in.
  const connected = { ...surroundings, ...host.variables, PLATFORM_ADMINS: `${PLATFORM_ADMIN},${TIRED_OPERATOR}` };
  withGitHub = await BuiltService.start(connected);
  const response = await fetch(`${service.url}/api/openapi.json`);
  contract = new Contract((await response.json()) as DescribedApi);
}, PATIENCE_MS);

afterAll(async () => {
  await Promise.all([service.stop(), withGitHub.stop(), line.cut()]);
  await Promise.all([issuer.stop(), host.github.stop(), database.drop()]);
}, PATIENCE_MS);

function through(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.port = String(line.port);
  return url.href;
}

let calls = 0;

/** Calls an operation, checks the response against the document, and returns its status. */
async function call(operationId: string, request: Call = {}) {
  const { path = {}, query = {}, bearer, headers, body, address, of = service } = request;
  calls += 1;
  const { method, path: template } = contract.find(operationId);
  const route = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? name));
  const text = typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(`${of.url}${route}?${new URLSearchParams(query).toString()}`, {
    method,
    redirect: 'manual',
    headers: {
      'x-forwarded-for': address ?? `198.51.${calls >> 8}.${calls & 255}`,
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: text ? (body as string) : JSON.stringify(body) }),
  });
  const { status } = response;
  await callAgain(operationId, response, request);
  expect([operationId, status, await contract.problemsOf(operationId, response)]).toEqual([operationId, status, []]);
  return status;
}

/** Repeats a request for a tagged page, as a browser that has stored it does. */
async function callAgain(operationId: string, { status, headers }: Response, request: Call): Promise<void> {
  const tag = headers.get('etag');
  const isKnown = request.headers?.['if-none-match'] !== undefined;
  if (status !== 200 || isKnown || tag?.startsWith('W/') !== true) return;
  await call(operationId, { ...request, headers: { ...request.headers, 'if-none-match': tag } });
}

const unknownKey = (): string => keySecret('sgk', randomBytes(SECRET_BYTES));
const upload = (changes: object = {}): object => ({
  repo: 'acme/payments',
  version: 'v1.4.0',
  pipeline: 'build and test',
  metrics: { unit_tests: { total: 1, passed: 1, failed: 0, skipped: 0 } },
  commit_sha: 'f1d2d2f924e986ac86fdf7b36c94bcdf32beec15',
  ...changes,
});
const GATE = { repo: 'acme/payments', version: 'v1.4.0' };
const NUL = { x: '\u0000' };

describe('the OpenAPI document', () => {
  it('describes every route of the service with its access rule, and no other route', () => {
    const described = contract.operations.map(({ method, path, operation: { 'x-access': access } }) => [
      `${method} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
      [
        access.kind,
        access.role ?? access.scope,
        access.personalKey && `or personal_key ${access.personalKey}`,
        access.ci && `or ci ${access.ci}`,
      ]
        .filter(Boolean)
        .join(' '),
    ]);
    const undescribed = [...DASHBOARD_ROUTES, ...LEGACY_ROUTES];
    const documented = Object.entries(ACCESS_TABLE).filter(([route]) => !undescribed.includes(route));
    expect(Object.fromEntries(described)).toEqual(Object.fromEntries(documented));
  });

  it('states the version of the API and that of the service', () => {
    expect([contract.api.openapi, contract.api.info]).toEqual([
      '3.1.0',
      expect.objectContaining({
        version: '1.0.0',
        'x-service-version': SERVICE_VERSION,
        description: expect.stringContaining(`Shipgate ${SERVICE_VERSION}.`),
      }),
    ]);
  });

  it('names the routes of former versions once, in its introduction', () => {
    for (const route of LEGACY_ROUTES) {
      const [, path = ''] = route.split(' ');
      expect(contract.api.info.description).toContain(`\`${path}\``);
    }
  });

  it('names each operation by a verb and its object, without a repeated word', () => {
    const ids = contract.operations.map(({ operation }) => operation.operationId);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    const words = ids.map((id) => id.split(/(?=[A-Z])/).map((word) => word.toLowerCase().replace(/s$/, '')));
    expect(words.filter((list) => list.length < 2 || new Set(list).size !== list.length)).toEqual([]);
  });

  it('describes the purpose of every operation, under a tag with a description', () => {
    const tags = new Set(contract.api.tags.map(({ name }) => name));
    for (const { operation } of contract.operations) {
      const { operationId, summary = '', tags: [tag] = [] } = operation;
      expect([operationId, summary.length > 10, tags.has(tag ?? '')]).toEqual([operationId, true, true]);
    }
  });

  it('describes every parameter, every response and its body', () => {
    for (const { operation } of contract.operations) {
      const { operationId, parameters, responses } = operation;
      expect(parameters.filter(({ description = '' }) => description === '')).toEqual([]);
      // A route that does not allow the method documents only that.
      expect(Object.keys(responses).filter((status) => status < '400' || status === '405')).not.toEqual([]);
      for (const [status, { description, content }] of Object.entries(responses)) {
        const where = `${operationId} ${status}`;
        const hasNone = ['204', '302', '304'].includes(status) || where === 'sendToolMessage 202';
        expect([where, description.length > 0, content !== undefined || hasNone]).toEqual([where, true, true]);
      }
    }
  });

  it('has an example for every body that matches its schema', () => {
    for (const { operation } of contract.operations) {
      const bodies = [operation.requestBody, ...Object.values(operation.responses)];
      for (const { schema, example } of bodies.flatMap((body) => Object.values(body?.content ?? {}))) {
        expect([operation.operationId, example, contract.schemaProblems(schema, example)]).toEqual([
          operation.operationId,
          example,
          [],
        ]);
      }
    }
  });

  it('documents for some response each error code of the closed list, and no other code', () => {
    const inResponses = contract.operations.flatMap(({ operation: { responses } }) =>
      Object.values(responses).flatMap(({ headers }) => {
        const header = headers['X-Error-Code'];
        return header && 'schema' in header ? (header.schema.enum ?? []) : [];
      }),
    );
    const list = contract.api.components.headers['X-Error-Code']?.schema.enum ?? [];
    expect([...new Set(inResponses)].toSorted()).toEqual(list.toSorted());
  });

  it('documents the errors that follow from the access rule of a route', () => {
    const implied: Readonly<Record<string, readonly string[]>> = {
      public: ['400', '500'],
      session: ['400', '401', '500', '503'],
      ci: ['400', '401', '403', '429', '500', '503'],
      personal_key: ['400', '401', '403', '429', '500', '503'],
    };
    for (const { operation } of contract.operations) {
      const { operationId, responses, security, 'x-access': access } = operation;
      const statuses = Object.keys(responses);
      expect([operationId, (implied[access.kind] ?? ['?']).filter((status) => !statuses.includes(status))]).toEqual([
        operationId,
        [],
      ]);
      const schemes = security.flatMap((requirement) => Object.keys(requirement));
      expect(schemes.filter((scheme) => !(scheme in contract.api.components.securitySchemes))).toEqual([]);
      if (access.kind !== 'public') expect(schemes).not.toEqual([]);
      // Every session may call the routes of the access level `user`, so these need no 403.
      if (access.kind === 'session' && access.role !== 'user') expect(statuses).toContain('403');
    }
  });
});

describe('the page', () => {
  it('shows every operation and every schema, and allows only its own style', async () => {
    const response = await fetch(`${service.url}/api/docs`);
    const page = await response.text();
    const anchors = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(anchors).size).toBe(anchors.length);
    for (const { operation } of contract.operations) expect(anchors).toContain(operation.operationId);
    for (const name of Object.keys(contract.api.components.schemas)) expect(anchors).toContain(`schema-${name}`);
    for (const [, target] of page.matchAll(/ href="#([^"]+)"/g)) expect(anchors).toContain(target);

    const style = /<style>([^]*?)<\/style>/.exec(page)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(response.headers.get('content-security-policy')).toContain(
      `default-src 'none'; style-src 'sha256-${hash}';`,
    );
    expect(page).not.toMatch(/<script|<img|<link| style=| on\w+=|https?:\/\/(?!localhost|127)\S*\.(js|css)/);
  });
});

describe('a response is documented with its body when', () => {
  it('the gate is read', async () => {
    const { both, evidenceOnly } = workspace.keys;
    expect(await call('checkGate', { query: GATE, bearer: both })).toBe(200);
    expect(await call('checkGate', { query: { ...GATE, explain: 'true' }, bearer: issuer.token() })).toBe(200);
    expect(await call('checkGate', { query: { repo: 'payments' }, bearer: both })).toBe(400);
    expect(await call('checkGate', { query: GATE })).toBe(401);
    expect(await call('checkGate', { query: GATE, bearer: evidenceOnly })).toBe(403);
    expect(await call('checkGate', { query: { ...GATE, repo: 'elsewhere' }, bearer: both })).toBe(404);
    expect(await call('checkGate', { query: { ...GATE, version: 'v9.9.9' }, bearer: both })).toBe(404);
    const digest = `sha256:${'a'.repeat(64)}`;
    expect(await call('checkGate', { query: { ...GATE, digest }, bearer: both })).toBe(200);
    expect(await call('checkGate', { query: { repo: 'payments', digest }, bearer: both })).toBe(404);
  });

  it('the release of a CI run is found', async () => {
    const { both, evidenceOnly } = workspace.keys;
    const query = { repo: 'acme/payments', ref: 'v1.4.0' };
    expect(await call('resolveRelease', { query, bearer: both })).toBe(200);
    // The policy of the repository was never read.
    expect(await call('resolveRelease', { query: { ...query, ref: 'feature/pay' }, bearer: issuer.token() })).toBe(409);
    expect(await call('resolveRelease', { query: { repo: 'payments' }, bearer: both })).toBe(400);
    expect(await call('resolveRelease', { query })).toBe(401);
    expect(await call('resolveRelease', { query, bearer: evidenceOnly })).toBe(403);
    expect(await call('resolveRelease', { query: { ...query, repo: 'elsewhere' }, bearer: both })).toBe(404);
  });

  it('a credential is described', async () => {
    const { evidenceOnly } = workspace.keys;
    expect(await call('describeCredential', { bearer: evidenceOnly })).toBe(200);
    expect(await call('describeCredential', { bearer: issuer.token() })).toBe(200);
    expect(await call('describeCredential', { bearer: evidenceOnly, query: NUL })).toBe(400);
    expect(await call('describeCredential')).toBe(401);
    const elsewhere = issuer.token({ repository_owner_id: '99999999' });
    expect(await call('describeCredential', { bearer: elsewhere })).toBe(403);
  });

  it('the command-line tool is downloaded', async () => {
    const address = '203.0.113.220';
    for (const operationId of COMMAND_LINE_TOOL) {
      expect(await call(operationId)).toBe(200);
      expect(await call(operationId, { headers: { 'If-None-Match': '*' } })).toBe(304);
      expect(await call(operationId, { query: NUL })).toBe(400);
    }
    await givenUsedUpLimit(database, `page-files:${address}`);
    for (const operationId of COMMAND_LINE_TOOL) expect(await call(operationId, { address })).toBe(429);
  });

  it('evidence is uploaded', async () => {
    const { both, gateOnly } = workspace.keys;
    const headers = { 'idempotency-key': 'one' };
    expect(await call('uploadEvidence', { body: upload(), bearer: both, headers })).toBe(201);
    expect(await call('uploadEvidence', { body: upload(), bearer: both, headers })).toBe(200);
    expect(await call('uploadEvidence', { body: upload({ job: 'other' }), bearer: both, headers })).toBe(409);
    expect(await call('uploadEvidence', { body: upload({ version: 7 }), bearer: both })).toBe(400);
    expect(await call('uploadEvidence', { body: upload() })).toBe(401);
    expect(await call('uploadEvidence', { body: upload(), bearer: gateOnly })).toBe(403);
    expect(await call('uploadEvidence', { body: upload({ org: 'other' }), bearer: both })).toBe(403);
    expect(await call('uploadEvidence', { body: upload({ version: 'v9.9.9' }), bearer: both })).toBe(404);
    const deep = `${'['.repeat(70)}${']'.repeat(70)}`;
    expect(await call('uploadEvidence', { body: deep, bearer: both })).toBe(413);
    const bomb = gzipSync(Buffer.alloc(60_000_000, ' '));
    const gzip = { 'content-encoding': 'gzip' };
    expect(await call('uploadEvidence', { body: bomb, bearer: both, headers: gzip })).toBe(413);
    expect(await call('uploadEvidence', { body: '{', bearer: both })).toBe(400);
    const xml = { 'content-type': 'application/xml' };
    expect(await call('uploadEvidence', { body: '<a/>', bearer: both, headers: xml })).toBe(415);
    const files = [{ filename: 'junit.xml', content: '<testsuite>' }];
    expect(await call('uploadEvidence', { body: upload({ files }), bearer: both })).toBe(422);
  });

  it('reports are uploaded', async () => {
    await callReportUpload(call, workspace.keys);
    await callDeployments(call, workspace.keys);
    await callRunningStatement(call, workspace.keys, database);
  });

  it('artifacts are stated', async () => {
    await callArtifactStatement(call, workspace.keys, database);
  });

  it('GitHub sends webhooks', async () => {
    expect(await call('receiveWebhook', { body: { action: 'created' } })).toBe(202);
    expect(await call('receiveWebhook')).toBe(202);
    expect(await call('receiveWebhook', { query: NUL })).toBe(400);
  });

  it('the state of the service is read', async () => {
    expect(await call('checkHealth')).toBe(200);
    expect(await call('checkHealth', { query: NUL })).toBe(400);
    expect(await call('checkReadiness')).toBe(200);
    expect(await call('checkReadiness', { query: NUL })).toBe(400);
    expect(await call('readMetrics', { bearer: METRICS_TOKEN })).toBe(200);
    expect(await call('readMetrics', { query: NUL })).toBe(400);
    expect(await call('readMetrics', { bearer: 'another-token-0123456789' })).toBe(401);
    expect(await call('readMetrics', { of: withGitHub })).toBe(404);
  });

  it('the audit log is read', async () => {
    expect(await call('listAuditEntries', { headers: { cookie: admin } })).toBe(200);
    expect(await call('listAuditEntries', { headers: { cookie: admin }, query: { page: '1', pageSize: '10' } })).toBe(
      200,
    );
    expect(await call('listAuditEntries', { headers: { cookie: admin }, query: { page: '0' } })).toBe(400);
    for (const query of [
      { action: 'member.removed', actor: 'service' },
      { from: '2026-01-01', search: 'grace' },
    ]) {
      expect(await call('listAuditEntries', { headers: { cookie: admin }, query })).toBe(200);
      for (const format of ['csv', 'json'])
        expect(await call('exportAuditEntries', { headers: { cookie: admin }, query: { ...query, format } })).toBe(200);
    }
    expect(await call('listAuditEntries', { headers: { cookie: admin }, query: { action: 'member.gone' } })).toBe(400);
    expect(await call('exportAuditEntries', { headers: { cookie: admin }, query: { format: 'xlsx' } })).toBe(400);
    expect(await call('getAuditHead', { headers: { cookie: admin } })).toBe(200);
    expect(await call('getAuditHead', { headers: { cookie: admin }, query: NUL })).toBe(400);
    for (const [operationId, query] of [
      ['exportAuditEntries', { format: 'csv' }],
      ['getAuditHead', {}],
    ] as const) {
      expect(await call(operationId, { query })).toBe(401);
      expect(await call(operationId, { headers: { cookie: member }, query })).toBe(403);
    }
    expect(await call('listAuditEntries')).toBe(401);
    expect(await call('listAuditEntries', { headers: { cookie: member } })).toBe(403);
  });

  it('the diagnostics are read', async () => {
    await callDiagnosis(call, service, database);
  });

  it('one user exceeds a rate limit', async () => {
    const headers = { cookie: await givenSession(database, 'admin') };
    const statuses = new Set<number>();
    // More than twice the limit, because a window of the limit may end meanwhile.
    for (let requests = 0; requests < 700 && !statuses.has(429); requests += 1) {
      statuses.add(await call('listAuditEntries', { headers }));
    }
    expect([...statuses]).toEqual([200, 429]);
  });

  it('a user exceeds each rate limit, for every operation', async () => {
    const cookie = await givenSessionOverLimit(database, 'admin', TIRED_OPERATOR);
    const headers = { cookie, origin: PUBLIC_URL };
    const limited = contract.operations.filter(
      ({ operation }) => operation['x-access'].kind === 'session' && '429' in operation.responses,
    );
    expect(limited.length).toBeGreaterThan(40);
    for (const { path: template, operation } of limited) {
      const { operationId } = operation;
      const path = Object.fromEntries(
        [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, randomUUID()]),
      );
      // The limit of streams counts open streams, not requests.
      if (operationId === 'streamEvents') continue;
      expect([operationId, await call(operationId, { of: withGitHub, headers, path })]).toEqual([operationId, 429]);
    }
  });

  it('a request names another workspace than that of the session, for every operation with a session', async () => {
    const cookie = await givenSession(database, 'admin');
    const headers = { cookie, origin: PUBLIC_URL, 'x-workspace': 'elsewhere' };
    const operations = contract.operations.filter(({ operation }) => operation['x-access'].kind === 'session');
    expect(operations.length).toBeGreaterThan(60);
    for (const { path: template, operation } of operations) {
      const { operationId, parameters } = operation;
      const path = Object.fromEntries(
        [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, randomUUID()]),
      );
      expect([operationId, parameters.filter(({ name }) => name === 'X-Workspace').length]).toEqual([operationId, 1]);
      expect([operationId, await call(operationId, { of: withGitHub, headers, path })]).toEqual([operationId, 409]);
    }
  });

  it('users sign in', async () => {
    await callSignIn(call, { of: withGitHub, unconfigured: service, host, database });
  });

  it('users are signed in', async () => {
    await callSession(call, withGitHub, database);
  });

  it('a workspace is synced', async () => {
    await callSync(call, withGitHub, database);
  });

  it('lists are read', async () => {
    await callLists(call, withGitHub, database);
    await callSearch(call, withGitHub, database);
  });

  it('projects are created, listed and filled', async () => {
    await callProjects(call, withGitHub, database);
  });

  it('pending reviews are read', async () => {
    await callReviews(call, withGitHub, database);
  });

  it('a repository is set up', async () => {
    await callBootstrap(call, withGitHub, database, host);
  });

  it('workflow files are updated', async () => {
    await callWorkflows(call, withGitHub, database, { host, keys: workspace.keys });
  });

  it('the branches of a repository are protected', async () => {
    await callProtection(call, withGitHub, database);
  });

  it('a condition of a release is overridden, or the workspace is frozen', async () => {
    await callOverrides(call, withGitHub, database);
  });

  it('scopes of releases are changed', async () => {
    await callScope(call, withGitHub, { database, host });
  });

  it('a release is created, read, started and refreshed', async () => {
    await callMilestones(call, withGitHub, { database, host });
  });

  it('the history is read and a deployment is recorded', async () => {
    await callHistory(call, withGitHub, database);
    await callReportedDeployments(call, withGitHub, database);
    await callRunning(call, withGitHub, database);
  });

  it('the quality of releases is read', async () => {
    await callQuality(call, withGitHub, database);
  });

  it('the quality of releases is exported', async () => {
    await callQualityExport(call, withGitHub, database);
  });

  it('the audit pack of a release is downloaded', async () => {
    await callAuditPack(call, withGitHub, database);
  });

  it('a decision is read', async () => {
    await callDecisions(call, withGitHub, database);
  });

  it('a statement is signed', async () => {
    await callStatements(call, withGitHub, database, workspace.keys);
  });

  it('a team is managed', async () => {
    await callTeam(call, withGitHub, { database, host });
  });

  it('evidence is read', async () => {
    await callEvidence(call, withGitHub, database);
  });

  it('artifacts are read', async () => {
    await callArtifacts(call, withGitHub, database);
    await callEnvironments(call, withGitHub, database);
  });

  it('events are streamed', async () => {
    await callEvents(call, { of: service, database, metricsToken: METRICS_TOKEN });
  });

  it('keys are created, listed and revoked', async () => {
    await callKeys(call, withGitHub, database);
  });

  it('remote tools act in the name of a user', async () => {
    await callTools(call, withGitHub, database);
  });

  it('releases are listed, read and started with a personal key', async () => {
    await callByPersonalKey(call, withGitHub, database);
  });

  it('a plan upgrade is requested and decided', async () => {
    await callBilling(call, withGitHub, database);
  });

  it('the service is set up and an organization is connected', async () => {
    await callSetup(call, host);
    await callWarnings(call, withGitHub, database);
  });

  it.each([
    'getPolicySchema',
    'listSigningKeys',
    'listStatementKeys',
    'getOpenApiDocument',
    'getApiPage',
    'getCiConfiguration',
  ])('one address exceeds the rate limit: %s', async (operationId) => {
    const address = `203.0.113.${operationId.length}`;
    expect(await call(operationId, { query: NUL })).toBe(400);
    expect(await call(operationId)).toBe(200);
    if (!['listSigningKeys', 'listStatementKeys', 'getCiConfiguration'].includes(operationId)) {
      expect(await call(operationId, { headers: { 'If-None-Match': '*' } })).toBe(304);
    }
    await givenUsedUpLimit(database, `public:${address}`);
    expect(await call(operationId, { address })).toBe(429);
  });

  it.each([
    ['checkGate', { query: GATE }],
    ['resolveRelease', { query: { repo: 'acme/payments', ref: 'main' } }],
    ['checkPolicy', { query: { repo: 'acme/payments' } }],
    ['describeCredential', {}],
    ['uploadEvidence', { body: upload() }],
    ['reportDeployment', { body: DEPLOYMENT_REPORT }],
    ['stateRunning', RUNNING_STATEMENT],
    ['uploadReports', givenForm()],
    ['stateArtifact', { body: {} }],
  ])('one address guesses credentials: %s', async (operationId, request) => {
    const address = `203.0.113.${100 + operationId.length}`;
    await givenUsedUpLimit(database, `failed-credentials:${address}`);
    const guess = (): Promise<number> => call(operationId, { ...request, bearer: unknownKey(), address });
    expect(await guess()).toBe(429);
  });

  it('the issuer of tokens is unavailable', async () => {
    await issuer.goDown();
    issuer.rotate({ retainOld: false });
    expect(await call('checkGate', { query: GATE, bearer: issuer.token() })).toBe(503);
    expect(await call('uploadEvidence', { body: upload(), bearer: issuer.token() })).toBe(503);
    expect(await call('uploadReports', { ...givenForm(), bearer: issuer.token() })).toBe(503);
    expect(await call('stateArtifact', { body: {}, bearer: issuer.token() })).toBe(503);
    await issuer.comeBack();
  });

  it('the database is unavailable', async () => {
    await line.cut();
    await callSignInWithoutDatabase(call, withGitHub, admin);
    await callSyncWithoutDatabase(call, withGitHub, admin);
    await callListsWithoutDatabase(call, withGitHub, admin);
    await callReviewsWithoutDatabase(call, withGitHub, admin);
    await callProjectsWithoutDatabase(call, withGitHub, admin);
    await callBootstrapWithoutDatabase(call, withGitHub, admin);
    await callProtectionWithoutDatabase(call, withGitHub, admin);
    await callWorkflowsWithoutDatabase(call, withGitHub, { cookie: admin, key: workspace.keys.both });
    await callAuditPackWithoutDatabase(call, withGitHub, admin);
    await callDecisionsWithoutDatabase(call, withGitHub, admin);
    await callStatementsWithoutDatabase(call, withGitHub, admin);
    await callHistoryWithoutDatabase(call, withGitHub, admin);
    await callEvidenceWithoutDatabase(call, withGitHub, admin);
    await callArtifactsWithoutDatabase(call, withGitHub, admin);
    await callQualityWithoutDatabase(call, withGitHub, admin);
    await callQualityExportWithoutDatabase(call, withGitHub, admin);
    await callMilestonesWithoutDatabase(call, withGitHub, admin);
    await callOverridesWithoutDatabase(call, withGitHub, admin);
    await callScopeWithoutDatabase(call, withGitHub, admin);
    await callTeamWithoutDatabase(call, withGitHub, admin);
    await callKeysWithoutDatabase(call, withGitHub, admin);
    await callToolsWithoutDatabase(call, withGitHub);
    await callBillingWithoutDatabase(call, withGitHub, admin);
    expect(await call('checkReadiness')).toBe(503);
    expect(await call('listSigningKeys')).toBe(503);
    expect(await call('listRepositoryWarnings', { of: withGitHub, headers: { cookie: admin } })).toBe(503);
    expect(await call('listAuditEntries', { headers: { cookie: admin } })).toBe(503);
    expect(await call('getAuditHead', { headers: { cookie: admin } })).toBe(503);
    expect(await call('exportAuditEntries', { headers: { cookie: admin }, query: { format: 'csv' } })).toBe(503);
    expect(await call('getDiagnostics', { headers: { cookie: admin } })).toBe(503);
    expect(await call('streamEvents', { headers: { cookie: admin } })).toBe(503);
    expect(await call('checkGate', { query: GATE, bearer: workspace.keys.both })).toBe(503);
    const ref = { repo: 'acme/payments', ref: 'main' };
    expect(await call('resolveRelease', { query: ref, bearer: workspace.keys.both })).toBe(503);
    expect(await call('describeCredential', { bearer: workspace.keys.both })).toBe(503);
    expect(await call('uploadEvidence', { body: upload(), bearer: workspace.keys.both })).toBe(503);
    expect(await call('reportDeployment', { body: DEPLOYMENT_REPORT, bearer: workspace.keys.deploys })).toBe(503);
    expect(await call('listReportedDeployments', { headers: { cookie: admin } })).toBe(503);
    expect(await call('stateRunning', { ...RUNNING_STATEMENT, bearer: workspace.keys.deploys })).toBe(503);
    expect(await call('listRunning', { headers: { cookie: admin } })).toBe(503);
    const inProduction = { path: { name: 'production' }, query: { repo: 'acme/payments' }, headers: { cookie: admin } };
    expect(await call('listRunningInEnvironment', inProduction)).toBe(503);
    expect(await call('uploadReports', { ...givenForm(), bearer: workspace.keys.both })).toBe(503);
    expect(await call('checkHealth')).toBe(200);
  });

  it('it can be triggered at all: only the unexpected error was not', () => {
    const isTestedElsewhere = (answer: string): boolean => answer.endsWith(' 500') || WITHOUT_TOOL.includes(answer);
    expect(contract.unprovoked().filter((answer) => !isTestedElsewhere(answer))).toEqual([]);
  });
});
