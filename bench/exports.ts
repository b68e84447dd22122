/**
 * Measures what exports of 100,000 results cost: CSV beside Postgres' own of the same rows; and memory and how long the service stands
 * still while a client asks the gate. `--quick` is a short try.
 */
import { get, type IncomingMessage } from 'node:http';
import { hashSecret } from '../src/crypto/digests.js';
import { withDedicatedClient } from '../src/database/dedicated-client.js';
import { copyByPsql, copyByServer, hasPsql } from './exports/copy-to-csv.js';
import { secretOf } from './gate/organization-key.js';
import { ASKING, confirmMembers, populateLists } from './lists/list-population.js';
import { BenchServer } from './measuring/bench-server.js';
import { Child } from './measuring/child.js';
import { median } from './measuring/median.js';
import { quantile } from './measuring/quantile.js';
import { aim } from './measuring/report.js';
import type { Listening } from './measuring/served.js';
import type { Fared } from './upload/reading.js';

const QUICK = process.argv.includes('--quick');
/** Each has three results. */
const RELEASES = QUICK ? 1_000 : 33_500;
const ROUNDS = QUICK ? 2 : 5;
const MEGABYTE = 1_000_000;
const FORMATS = ['csv', 'xlsx', 'html'] as const;
const GATE = '/api/milestones/check?repo=service-1&version=v1.1.0';
const GATE_PAUSE_MS = 5;
/** What the service is left with to show what it needs: with room to spare, V8 collects late, and holds twice as much. */
const BOUNDED_HEAP = ['--max-old-space-size=120', '--max-semi-space-size=8'];
const SERVICE = new URL('upload/servers/shipgate.js', import.meta.url);
const byPsql = hasPsql();
const copy = byPsql ? copyByPsql : copyByServer;
const bearer = `Bearer ${secretOf(1)}`;

/** The same rows with as much of them as stands in tables: what a release is worth does not. */
const ROWS = `
  select o.login, repo.name, r.version, r.stage, e.environment, e.pipeline, e.commit_sha, e.received_at, e.id, r.id, piece->>'kind',
    piece->'metrics'->'unit_tests'->>'total', piece->'metrics'->'unit_tests'->>'passed',
    piece->'metrics'->'unit_tests'->>'failed', piece->'metrics'->'unit_tests'->>'skipped',
    piece->'metrics'->'coverage'->>'line_percent', piece->'metrics'->'coverage'->>'branch_percent'
  from release r
  join repository repo on repo.id = r.repository_id
  join organization o on o.org_id = r.org_id
  join evidence e on e.release_id = r.id
  cross join lateral jsonb_array_elements(e.pieces) as piece
  where r.org_id = ${ASKING.orgId} and r.evidence_at is not null
  order by r.evidence_at desc, r.id, e.received_at desc`;

const server = await BenchServer.start(false);
let shipgate: Child | null = null;
try {
  let cookie = '';
  const { runtimeUrl, superuserUrl } = await server.make('exports', async (url) => {
    cookie = await populateLists(url, { releases: RELEASES, own: RELEASES });
    await giveKey(url);
  });
  // A server of the uploads' measurement, which tells how it fared.
  shipgate = new Child(SERVICE, [runtimeUrl, '8']);
  const { port } = await shipgate.next<Listening>();
  await measure(`http://127.0.0.1:${port}`, shipgate, { cookie, superuserUrl });
  await shipgate.stop();
  console.log(`\nEach alone, by a service of its own with ${BOUNDED_HEAP.join(' ')}`);
  for (const format of FORMATS) {
    await confirmMembers(superuserUrl);
    shipgate = new Child(SERVICE, [runtimeUrl, '8'], BOUNDED_HEAP);
    const { port: own } = await shipgate.next<Listening>();
    await exported(`http://127.0.0.1:${own}`, cookie, format);
    const { peakBytes } = await askHow(shipgate);
    console.log(aim(`peak memory of the process, ${format}, in MB`, peakBytes / MEGABYTE, 'under 200'));
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
    // At the first use libraries are loaded: that is not what is measured. Each export compares the tests of 20 releases first.
    await exported(url, cookie, format);
    await askHow(service);
    const times: number[] = [];
    const waits: number[] = [];
    let bytes = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      if (format === 'csv') copies.push(await timeOf(() => copy(superuserUrl, ROWS)));
      times.push(await timeOf(() => exported(url, cookie, format)));
      bytes = await withGate(url, waits, () => exported(url, cookie, format));
    }
    const { peakBytes, stallMs } = await askHow(service);
    waits.sort((one, other) => one - other);
    console.log(`\n${format}: ${median(times).toFixed(0)} ms, ${(bytes / MEGABYTE).toFixed(1)} MB`);
    if (format === 'csv') {
      console.log(
        `copy to CSV by ${byPsql ? 'psql' : 'the server alone, because this machine has no psql'}: ${median(copies).toFixed(0)} ms`,
      );
      console.log(aim('time of an export, to the copy', median(times) / median(copies), 'at most 4'));
    }
    console.log(`peak memory of the process so far: ${(peakBytes / MEGABYTE).toFixed(0)} MB`);
    console.log(aim('longest stall of the event loop meanwhile, in ms', stallMs, 'under 100'));
    console.log(
      `the gate meanwhile: p50 ${quantile(waits, 0.5).toFixed(1)} ms, p99 ${quantile(waits, 0.99).toFixed(1)} ms`,
    );
  }
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

/** How long the file is; rejects where it does not come whole. */
async function exported(url: string, cookie: string, format: string): Promise<number> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${url}/api/quality/export?format=${format}`, { headers: { cookie } }, resolve).on('error', reject);
  });
  if (response.statusCode !== 200) throw new Error(`An export was answered ${response.statusCode}.`);
  let bytes = 0;
  for await (const chunk of response) bytes += (chunk as Uint8Array).length;
  return bytes;
}

/** Does the work while a client asks the gate again and again, and notes how long each question took. */
async function withGate<T>(url: string, waits: number[], work: () => Promise<T>): Promise<T> {
  const done = new AbortController();
  const asking = (async () => {
    while (!done.signal.aborted) {
      const begin = performance.now();
      const response = await fetch(`${url}${GATE}`, { headers: { authorization: bearer } });
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`The gate answered ${response.status}.`);
      waits.push(performance.now() - begin);
      await new Promise((resolve) => setTimeout(resolve, GATE_PAUSE_MS));
    }
  })();
  const result = await work();
  done.abort();
  await asking;
  return result;
}

async function askHow(service: Child): Promise<Fared> {
  service.send({});
  return service.next<Fared>();
}

/** The key by which the gate is asked. */
function giveKey(superuserUrl: string): Promise<unknown> {
  return withDedicatedClient(superuserUrl, (client) =>
    client.query(
      `insert into api_key (org_id, id, name, prefix, secret_hash, scopes, created_by, created_at)
       values (${ASKING.orgId}, gen_random_uuid(), 'deploy', 'sgk_', $1, '{gate:read}', 'bench', now())`,
      [hashSecret(secretOf(1))],
    ),
  );
}
