/**
 * Measures an upload of 38 MB of JUnit with 200,000 cases: its time and memory compared with a bare parser of the same bytes, and
 * how long requests to the gate wait during the upload.
 */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withDedicatedClient } from '../src/database/dedicated-client.js';
import { buildSecret } from './gate/organization-key.js';
import { populate } from './gate/population.js';
import { BenchServer } from './measuring/bench-server.js';
import { Child } from './measuring/child.js';
import { median } from './measuring/median.js';
import { quantile } from './measuring/quantile.js';
import { formatResult } from './measuring/report.js';
import type { Listening } from './measuring/served.js';
import type { ServiceUsage, ParseResult } from './upload/reading.js';

const ROUNDS = process.argv.includes('--quick') ? 3 : 7;
const MEGABYTE = 1_000_000;
const CASES = 200_000;
const CASES_OF_A_SUITE = 400;
const bearer = `Bearer ${buildSecret(1)}`;
const module = (path: string): URL => new URL(path, import.meta.url);

const folder = mkdtempSync(join(tmpdir(), 'shipgate-upload-'));
const file = join(folder, 'junit.xml');
const server = await BenchServer.start(false);
let shipgate: Child | null = null;
try {
  writeReport(file);
  const { runtimeUrl, superuserUrl } = await server.createDatabase('upload', (url) =>
    populate(url, { organizations: 2, repositories: 1, releases: 1 }),
  );
  await withDedicatedClient(superuserUrl, (client) =>
    client.query(`update api_key set scopes = '{evidence:write,gate:read}'`),
  );
  shipgate = new Child(module('upload/servers/shipgate.js'), [runtimeUrl, '8']);
  const { port } = await shipgate.next<Listening>();
  await measure(`http://127.0.0.1:${port}`, shipgate);
} finally {
  await shipgate?.stop();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Writes a JUnit file of 38 MB like that of a large passing suite, with times, files and some output. */
function writeReport(path: string): void {
  const suites = Array.from({ length: CASES / CASES_OF_A_SUITE }, (_, suite) => {
    const name = `packages/service-${suite}/src/orders.spec.ts`;
    const cases = Array.from(
      { length: CASES_OF_A_SUITE },
      (_case, at) =>
        `    <testcase classname="service-${suite} orders" name="keeps the order ${at} of suite ${suite} as it was, whatever comes between" file="${name}" time="0.0${at}"></testcase>\n`,
    );
    return `  <testsuite name="${name}" tests="${CASES_OF_A_SUITE}" failures="0" errors="0" time="1.2">\n${cases.join('')}  </testsuite>\n`;
  });
  writeFileSync(path, `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('')}</testsuites>\n`);
}

async function measure(url: string, service: Child): Promise<void> {
  const small = '<testsuite><testcase name="warm"/></testsuite>';
  for (let at = 0; at < 5; at += 1) await upload(url, buildForm(`warm ${at}`, Buffer.from(small)));
  const report = readFileSync(file);
  const before = await readUsage(service);
  const rounds: { readonly bare: ParseResult; readonly milliseconds: number; readonly gate: readonly number[] }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const bare = await readBare();
    const form = buildForm(`round ${round}`, report);
    const [milliseconds, gate] = await withGate(url, () => upload(url, form));
    rounds.push({ bare, milliseconds, gate });
  }
  const after = await readUsage(service);
  const bareMs = median(rounds.map(({ bare }) => bare.milliseconds));
  const uploadMs = median(rounds.map(({ milliseconds }) => milliseconds));
  const bareGrowth = Math.max(...rounds.map(({ bare }) => bare.grownBytes));
  const growth = after.peakBytes - before.residentBytes;
  const waits = rounds.flatMap(({ gate }) => gate).toSorted((one, other) => one - other);
  console.log(`\n${(report.length / MEGABYTE).toFixed(1)} MB, ${CASES} cases, ${ROUNDS} rounds`);
  console.log(`bare parser            ${bareMs.toFixed(0)} ms, ${(bareGrowth / MEGABYTE).toFixed(0)} MB`);
  console.log(`upload, complete       ${uploadMs.toFixed(0)} ms, ${(growth / MEGABYTE).toFixed(0)} MB`);
  console.log(
    formatResult(
      'speed of an upload, compared with the bare parser',
      median(rounds.map(({ bare, milliseconds }) => bare.milliseconds / milliseconds)),
      'at least 0.5',
    ),
  );
  console.log(
    formatResult('memory above that of the bare parser, in MB', (growth - bareGrowth) / MEGABYTE, 'under 100'),
  );
  console.log(formatResult('longest stall of the event loop during uploads, in ms', after.stallMs, 'under 100'));
  const [p50, p99] = [0.5, 0.99].map((share) => quantile(waits, share).toFixed(1));
  console.log(
    `the gate meanwhile     p50 ${p50} ms, p99 ${p99} ms, at most ${(waits.at(-1) ?? Number.NaN).toFixed(1)} ms`,
  );
}

async function readBare(): Promise<ParseResult> {
  const reader = new Child(module('upload/bare-parser.js'), [file]);
  const reading = await reader.next<ParseResult>();
  await reader.stop();
  if (reading.cases !== CASES) throw new Error(`The bare parser counted ${reading.cases} cases.`);
  return reading;
}

/** Builds the body of an upload. Its content is new to the service, which stores the same content once. */
function buildForm(pipeline: string, report: Buffer): Buffer {
  const fields = { repo: 'service-1', version: 'v1.1.0', pipeline, commit_sha: 'f'.repeat(40) };
  const parts = Object.entries(fields).map(
    ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = '--b\r\nContent-Disposition: form-data; name="file"; filename="junit.xml"\r\n\r\n';
  return Buffer.concat([Buffer.from(parts.join('') + file), report, Buffer.from(`<!--${pipeline}-->\r\n--b--\r\n`)]);
}

/** Sends the body at once. `fetch` with a form takes 0.9 s of CPU time to send 38 MB, more than the service to store them. */
async function upload(url: string, form: Buffer): Promise<number> {
  const begin = performance.now();
  const sending = request(`${url}/api/evidence/upload-report`, {
    method: 'POST',
    headers: {
      authorization: bearer,
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': form.length,
    },
  });
  sending.end(form);
  const [response] = (await once(sending, 'response')) as [IncomingMessage];
  const answer = await text(response);
  const milliseconds = performance.now() - begin;
  if (response.statusCode !== 201) throw new Error(`An upload returned status ${response.statusCode}: ${answer}`);
  return milliseconds;
}

/** Runs the work while another workspace requests its gate repeatedly. Returns the result and the time of each request. */
async function withGate(url: string, work: () => Promise<number>): Promise<readonly [number, readonly number[]]> {
  const waits: number[] = [];
  const done = new AbortController();
  const polling = (async () => {
    while (!done.signal.aborted) {
      const begin = performance.now();
      const response = await fetch(`${url}/api/milestones/check?repo=service-1&version=v1.1.0`, {
        headers: { authorization: `Bearer ${buildSecret(2)}` },
      });
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`The gate returned status ${response.status}.`);
      waits.push(performance.now() - begin);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  const milliseconds = await work();
  done.abort();
  await polling;
  return [milliseconds, waits];
}

async function readUsage(service: Child): Promise<ServiceUsage> {
  service.send({});
  return service.next<ServiceUsage>();
}
