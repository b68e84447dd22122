/**
 * Measures exports of 100,000 results: the time compared with `copy` of Postgres for the same rows, the memory, and the
 * longest stall of the event loop while a client requests the gate. `--quick` runs a shorter measurement.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { devNull } from 'node:os';
import { hashSecret } from '../src/crypto/digests.js';
import { withDedicatedClient } from '../src/database/dedicated-client.js';
import { buildSecret } from './gate/organization-key.js';
import { OWN_WORKSPACE, confirmMembers, populateLists } from './lists/list-population.js';
import { BenchServer } from './measuring/bench-server.js';
import { Child } from './measuring/child.js';
import { median } from './measuring/median.js';
import { quantile } from './measuring/quantile.js';
import { formatResult } from './measuring/report.js';
import type { Listening } from './measuring/served.js';
import type { ServiceUsage } from './upload/reading.js';

const QUICK = process.argv.includes('--quick');
/** Each release has three results. */
const RELEASES = QUICK ? 1_000 : 33_500;
const ROUNDS = QUICK ? 2 : 5;
const MEGABYTE = 1_000_000;
const FORMATS = ['csv', 'xlsx', 'html'] as const;
const GATE = '/api/milestones/check?repo=service-1&version=v1.1.0';
const GATE_PAUSE_MS = 5;
/**
 * A small heap shows the memory that the service needs. With a larger heap, V8 collects late and uses twice as much. The limits hold for
 * the heap of each thread, also where a thread has limits of its own.
 */
const BOUNDED_HEAP = ['--max-old-space-size=85', '--max-semi-space-size=2'];
/** The largest ratio to the copy that is accepted. A web page has no limit. */
const TIME_TARGETS: Partial<Record<(typeof FORMATS)[number], number>> = { csv: 4, xlsx: 9 };
const SERVICE = new URL('upload/servers/shipgate.js', import.meta.url);
/** Whether the machine has `psql`. The embedded server comes without it. */
const byPsql = spawnSync('psql', ['--version'], { stdio: 'ignore' }).status === 0;
const copy = byPsql ? copyByPsql : copyByServer;
const bearer = `Bearer ${buildSecret(1)}`;

/** The same rows without the values that the service computes for a release. */
const ROWS = `
  select o.login, repo.name, r.version, r.stage, e.environment, e.pipeline, e.commit_sha, e.received_at, e.id, r.id, item->>'kind',
    item->'metrics'->'unit_tests'->>'total', item->'metrics'->'unit_tests'->>'passed',
    item->'metrics'->'unit_tests'->>'failed', item->'metrics'->'unit_tests'->>'skipped',
    item->'metrics'->'coverage'->>'line_percent', item->'metrics'->'coverage'->>'branch_percent'
  from release r
  join repository repo on repo.id = r.repository_id
  join organization o on o.org_id = r.org_id
  join evidence e on e.release_id = r.id
  cross join lateral jsonb_array_elements(e.items) as item
  where r.org_id = ${OWN_WORKSPACE.orgId} and r.evidence_at is not null
  order by r.evidence_at desc, r.id, e.received_at desc`;

const server = await BenchServer.start(false);
let shipgate: Child | null = null;
try {
  let cookie = '';
  const { runtimeUrl, superuserUrl } = await server.createDatabase('exports', async (url) => {
    cookie = await populateLists(url, { releases: RELEASES, own: RELEASES });
    await createApiKey(url);
  });
  // A server of the upload measurement, which reports its memory and its longest stall.
  shipgate = new Child(SERVICE, [runtimeUrl, '8']);
  const { port } = await shipgate.next<Listening>();
  await measure(`http://127.0.0.1:${port}`, shipgate, { cookie, superuserUrl });
  await shipgate.stop();
  console.log(`\nEach format alone, in a new process with ${BOUNDED_HEAP.join(' ')}`);
  for (const format of FORMATS) {
    await confirmMembers(superuserUrl);
    shipgate = new Child(SERVICE, [runtimeUrl, '8'], BOUNDED_HEAP);
    const { port: own } = await shipgate.next<Listening>();
    await downloadExport(`http://127.0.0.1:${own}`, cookie, format);
    const { peakBytes } = await readUsage(shipgate);
    console.log(formatResult(`peak memory of the process, ${format}, in MB`, peakBytes / MEGABYTE, 'under 200'));
    await shipgate.stop();
  }
} finally {
  await shipgate?.stop();
  await server.stop();
}

async function measure(
  url: string,
  service: Child,
  { cookie, superuserUrl }: { readonly cookie: string; readonly superuserUrl: string },
): Promise<void> {
  const copies: number[] = [];
  console.log(`${(RELEASES * 3).toLocaleString('en')} results of ${RELEASES.toLocaleString('en')} releases`);
  for (const format of FORMATS) {
    await confirmMembers(superuserUrl);
    // The first export loads libraries, so it does not count. Each export first compares the tests of 20 releases.
    await downloadExport(url, cookie, format);
    await readUsage(service);
    const times: number[] = [];
    const waits: number[] = [];
    let bytes = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      if (format === 'csv') copies.push(await measureTime(() => copy(superuserUrl, ROWS)));
      times.push(await measureTime(() => downloadExport(url, cookie, format)));
      bytes = await withGate(url, waits, () => downloadExport(url, cookie, format));
    }
    const { peakBytes, stallMs } = await readUsage(service);
    waits.sort((one, other) => one - other);
    console.log(`\n${format}: ${median(times).toFixed(0)} ms, ${(bytes / MEGABYTE).toFixed(1)} MB`);
    if (format === 'csv') {
      console.log(
        `copy to CSV by ${byPsql ? 'psql' : 'the server, because this machine has no psql'}: ${median(copies).toFixed(0)} ms`,
      );
    }
    const target = TIME_TARGETS[format];
    console.log(
      formatResult(
        'export time, compared with the copy',
        median(times) / median(copies),
        target ? `at most ${target}` : 'none',
      ),
    );
    console.log(`peak memory of the process so far: ${(peakBytes / MEGABYTE).toFixed(0)} MB`);
    console.log(formatResult('longest stall of the event loop during exports, in ms', stallMs, 'under 100'));
    console.log(
      `the gate during exports: p50 ${quantile(waits, 0.5).toFixed(1)} ms, p99 ${quantile(waits, 0.99).toFixed(1)} ms`,
    );
  }
}

/** Copies the result of the query to the null device with `psql`. */
async function copyByPsql(databaseUrl: string, query: string): Promise<void> {
  // A backslash command ends at the end of its line.
  const command = `\\copy (${query.replaceAll(/\s+/g, ' ')}) to '${devNull}' csv header`;
  const child = spawn('psql', ['--no-psqlrc', '--quiet', `--command=${command}`, databaseUrl], { stdio: 'inherit' });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`psql ended with ${String(code)}.`);
}

/** Copies the result on the server without sending it to a client. */
function copyByServer(databaseUrl: string, query: string): Promise<unknown> {
  return withDedicatedClient(databaseUrl, (client) => client.query(`copy (${query}) to '${devNull}' csv header`));
}

async function measureTime(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

/** Downloads an export. Returns its size in bytes, and rejects if it is not complete. */
async function downloadExport(url: string, cookie: string, format: string): Promise<number> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${url}/api/quality/export?format=${format}`, { headers: { cookie } }, resolve).on('error', reject);
  });
  if (response.statusCode !== 200) throw new Error(`An export returned status ${response.statusCode}.`);
  let bytes = 0;
  for await (const chunk of response) bytes += (chunk as Uint8Array).length;
  return bytes;
}

/** Runs the work while a client requests the gate repeatedly, and adds the time of each request to `waits`. */
async function withGate<T>(url: string, waits: number[], work: () => Promise<T>): Promise<T> {
  const done = new AbortController();
  const polling = (async () => {
    while (!done.signal.aborted) {
      const begin = performance.now();
      const response = await fetch(`${url}${GATE}`, { headers: { authorization: bearer } });
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`The gate returned status ${response.status}.`);
      waits.push(performance.now() - begin);
      await new Promise((resolve) => setTimeout(resolve, GATE_PAUSE_MS));
    }
  })();
  const result = await work();
  done.abort();
  await polling;
  return result;
}

async function readUsage(service: Child): Promise<ServiceUsage> {
  service.send({});
  return service.next<ServiceUsage>();
}

/** Creates the API key for requests to the gate. */
function createApiKey(superuserUrl: string): Promise<unknown> {
  return withDedicatedClient(superuserUrl, (client) =>
    client.query(
      `insert into api_key (org_id, id, name, prefix, secret_hash, scopes, created_by, created_at)
       values (${OWN_WORKSPACE.orgId}, gen_random_uuid(), 'deploy', 'sgk_', $1, '{gate:read}', 'bench', now())`,
      [hashSecret(buildSecret(1))],
    ),
  );
}
