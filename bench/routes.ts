/**
 * Measures the processor time of the service per request for each caller, and prints the most expensive requests. The time of the
 * database is not included. `--quick` runs a shorter measurement.
 */
import { gzipSync } from 'node:zlib';
import { hashSecret } from '../src/crypto/digests.js';
import { withDedicatedClient } from '../src/database/dedicated-client.js';
import { buildSecret } from './gate/organization-key.js';
import { OWN_WORKSPACE, LISTED_REPOSITORY, populateLists } from './lists/list-population.js';
import { BenchServer } from './measuring/bench-server.js';
import { Child } from './measuring/child.js';
import type { Listening } from './measuring/served.js';

const QUICK = process.argv.includes('--quick');
const OWN = QUICK ? 2_000 : 20_000;
const TIMES = QUICK ? 3 : 10;
const PRINTED = 10;

interface Request {
  readonly caller: string;
  readonly name: string;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const MEMBER_LISTS = [
  'dashboard',
  'projects',
  'reviews/pending',
  'history',
  'quality',
  `milestones/${OWN_WORKSPACE.login}/${LISTED_REPOSITORY}`,
  'repos',
];

function listRequests(cookie: string, releaseId: string): readonly Request[] {
  const bearer = { authorization: `Bearer ${buildSecret(1)}` };
  const evidence = (members: string): string =>
    `{"repo":"${LISTED_REPOSITORY}","version":"v1.1.0","pipeline":"routes","commit_sha":"${'f'.repeat(40)}",${members}}`;
  const upload = (name: string, body: string): Request => ({
    caller: 'API key',
    name,
    method: 'POST',
    path: '/api/evidence/upload',
    headers: { ...bearer, ...JSON_TYPE },
    body,
  });
  const files = Array.from({ length: 500 }, (_, at) => ({
    filename: `f${at}.xml`,
    content: `<testsuite><testcase name="${at}"/></testsuite>`,
  }));
  const large = `{"a":[${'{"a":1},'.repeat(400_000)}0]}`;
  const by = (caller: string, path: string, headers: Readonly<Record<string, string>>): Request => ({
    caller,
    name: `GET ${path}`,
    path,
    headers,
  });
  const member = { cookie };
  return [
    ...['/api/openapi.json', '/api/docs', '/api/health/ready', '/', '/api/schemas/sdlc.v1.json', '/api/auth/me'].map(
      (path) => by('anonymous', path, {}),
    ),
    {
      caller: 'anonymous',
      name: 'POST /api/webhook, 1 MB unsigned',
      method: 'POST',
      path: '/api/webhook',
      headers: { ...JSON_TYPE, 'x-github-event': 'push' },
      body: `{"a":"${'x'.repeat(1_000_000)}"}`,
    },
    {
      caller: 'anonymous',
      name: 'POST /api/evidence/upload, 9 MB',
      method: 'POST',
      path: '/api/evidence/upload',
      headers: JSON_TYPE,
      body: large.padEnd(9_000_000),
    },
    {
      caller: 'anonymous',
      name: 'POST /api/projects, 256 KB',
      method: 'POST',
      path: '/api/projects',
      headers: JSON_TYPE,
      body: `{"a":[${'{},'.repeat(80_000)}0]}`,
    },
    by('API key', `/api/milestones/check?repo=${LISTED_REPOSITORY}&version=v1.1.0`, bearer),
    upload('POST /api/evidence/upload, one metric', evidence('"metrics":{"custom":{"a":1}}')),
    upload('POST /api/evidence/upload, 500 files', evidence(`"files":${JSON.stringify(files)}`)),
    upload('POST /api/evidence/upload, 3 MB of reports', evidence(`"reports":${large}`)),
    {
      ...upload('POST /api/evidence/upload, the same as gzip', ''),
      headers: { ...bearer, ...JSON_TYPE, 'content-encoding': 'gzip' },
      body: new Uint8Array(gzipSync(evidence(`"reports":${large}`))),
    },
    ...MEMBER_LISTS.flatMap((list) => [`/api/${list}`, `/api/${list}?page=1&pageSize=50`]).map((path) =>
      by('member', path, member),
    ),
    ...['csv', 'html', 'xlsx'].map((format) => by('member', `/api/quality/export?format=${format}`, member)),
    ...['', '/evidence', '/decisions'].map((part) => by('member', `/api/milestones/${releaseId}${part}`, member)),
    ...['billing', 'team', 'settings/api-keys', 'sync', 'repo-warnings'].map((path) =>
      by('member', `/api/${path}`, member),
    ),
    ...['debug', 'audit'].map((path) => by('admin', `/api/${path}`, member)),
  ];
}

async function send(url: string, { method = 'GET', path, headers = {}, body }: Request): Promise<number> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...headers, origin: url },
    redirect: 'manual',
    ...(body !== undefined && { body }),
  });
  await response.arrayBuffer();
  return response.status;
}

async function used(service: Child): Promise<number> {
  service.send({});
  return (await service.next<{ readonly micros: number }>()).micros;
}

const server = await BenchServer.start(false);
let service: Child | null = null;
try {
  let cookie = '';
  const { runtimeUrl, superuserUrl } = await server.createDatabase('routes', async (url) => {
    cookie = await populateLists(url, { releases: OWN, own: OWN });
  });
  const releaseId = await withDedicatedClient(superuserUrl, async (client) => {
    await client.query(`update member set role = 'admin'`);
    await client.query(
      `insert into api_key (org_id, id, name, prefix, secret_hash, scopes, created_by, created_at)
       values (${OWN_WORKSPACE.orgId}, gen_random_uuid(), 'routes', 'sgk_', $1, '{evidence:write,gate:read}', 'bench', now())`,
      [hashSecret(buildSecret(1))],
    );
    const { rows } = await client.query<{ id: string }>(
      `select r.id from release r join repository p on p.id = r.repository_id where p.name = $1 limit 1`,
      [LISTED_REPOSITORY],
    );
    return rows[0]?.id ?? '';
  });
  service = new Child(new URL('routes/servers/shipgate.js', import.meta.url), [runtimeUrl, '8']);
  const { port } = await service.next<Listening>();
  const url = `http://127.0.0.1:${port}`;
  const measured: { readonly caller: string; readonly name: string; readonly status: number; readonly ms: number }[] =
    [];
  for (const request of listRequests(cookie, releaseId)) {
    // The first request compiles hot code and creates cached values.
    const status = await send(url, request);
    const before = await used(service);
    for (let at = 0; at < TIMES; at += 1) await send(url, request);
    measured.push({
      caller: request.caller,
      name: request.name,
      status,
      ms: ((await used(service)) - before) / TIMES / 1_000,
    });
  }
  for (const caller of new Set(measured.map((of) => of.caller))) {
    console.log(`\n${caller}: milliseconds of processor time per request`);
    const own = measured.filter((of) => of.caller === caller).toSorted((one, other) => other.ms - one.ms);
    for (const { name, status, ms } of own.slice(0, PRINTED))
      console.log(`${ms.toFixed(1).padStart(9)}  ${status}  ${name}`);
  }
} finally {
  await service?.stop();
  await server.stop();
}
