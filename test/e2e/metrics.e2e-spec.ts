import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { JobWorker } from '../../src/jobs/worker/job-worker.js';
import { Readiness } from '../../src/observability/readiness.js';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';

const METRICS_TOKEN = 'scrape-token-0123456789';

let env: TestEnvironment;
/** The metrics after the events of `beforeAll`. */
let printed: string;

async function scrape(): Promise<string> {
  const response = await fetch(`${env.baseUrl}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  if (response.status !== 200) throw new Error(`the scrape was answered with ${response.status}`);
  return response.text();
}

/** The value of one series, in the notation of the text format; null if there is none. */
function valueOf(series: string): number | null {
  const line = printed.split('\n').find((candidate) => candidate.startsWith(`${series} `));
  return line === undefined ? null : Number(line.slice(series.length + 1));
}

const namesIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(/\b(?:shipgate|process|nodejs)_[a-z\d_]*[a-z]/g)].map(([name]) => name)),
];

/** The names and labels of the service's metrics in the response of the endpoint. */
const declared = (): readonly string[] => [...printed.matchAll(/^# TYPE (\S+) \S+$/gm)].map(([, name = '']) => name);

/** Takes all idle connections of the pool, and one more that waits. */
async function waitForConnection(): Promise<void> {
  const { pool } = env.database;
  const taken = [];
  while (pool.idleCount > 0) taken.push(await pool.connect());
  const waiting = pool.connect();
  for (const client of taken) client.release();
  (await waiting).release();
}

beforeAll(async () => {
  env = await TestEnvironment.start({ METRICS_TOKEN, SYNC_INTERVAL: '1m' });
  await env.install();
  env.app.get(Readiness).register({ name: 'probe', check: () => Promise.reject(new Error('away')) });

  const repo = new RepositoryScenario(env, { name: 'measured' });
  const sha = await repo.approved('v1.0.0');
  await repo.gate('v1.0.0');
  const key = await env.key();
  const requestGate = async (version: string): Promise<unknown> =>
    (
      await fetch(
        `${env.baseUrl}/api/milestones/check?${new URLSearchParams({ repo: 'acme/measured', version }).toString()}`,
        {
          headers: { authorization: `Bearer ${key}` },
        },
      )
    ).json();
  // A key that does not request the reasons gets the answer of the stored verdict.
  expect(await requestGate('v1.0.0')).toMatchObject({ can_deploy: true });
  repo.milestone('v1.1.0');
  await env.waitUntilIdle();
  expect(await requestGate('v1.1.0')).toMatchObject({ can_deploy: false });
  await requestGate('v9.9.9');

  const run = repo.run(sha);
  env.issuer.rotate({ retainOld: false });
  const token = await run.token();
  // The service does not have the new key of the issuer yet, so it cannot check the credential.
  await env.issuer.goDown();
  const query = new URLSearchParams({ repo: 'acme/measured', version: 'v1.0.0' }).toString();
  const unchecked = await fetch(`${env.baseUrl}/api/milestones/check?${query}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(unchecked.status).toBe(503);
  await env.issuer.comeBack();
  const body = { files: [{ filename: 'junit.xml', content: '<testsuite tests="1"><testcase name="t"/></testsuite>' }] };
  expect((await run.upload('v1.1.0', body, token)).status).toBe(201);
  expect((await run.upload('v1.1.0', body, token)).status).toBe(200);
  expect((await run.upload('v1.1.0', { files: [{ filename: 'junit.xml', content: '<broken' }] })).status).toBe(422);
  await env.waitUntilIdle();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const state = async (digest: string): Promise<number> => {
    const artifact = JSON.stringify({ repo: 'acme/measured', version: 'v1.1.0', name: 'api', digest });
    return (await fetch(`${env.baseUrl}/api/artifacts`, { method: 'POST', headers, body: artifact })).status;
  };
  const digest = `sha256:${'a'.repeat(64)}`;
  expect([await state(digest), await state(digest), await state('latest')]).toEqual([201, 200, 400]);
  await env.waitUntilIdle();
  for (const version of ['v1.0.0', 'v1.1.0']) {
    const [release] = await env.asSuperuser<{ id: string }>(`select id from release where version = '${version}'`);
    expect((await fetch(`${env.baseUrl}/api/milestones/${release?.id}/statement`, { headers })).status).toBe(200);
  }

  await waitForConnection();
  env.clock.advance(10 * 60_000);
  // The following deliveries stay in the queue.
  await env.app.get(JobWorker).stop();
  repo.milestone('v1.2.0');
  await env.outbox.waitUntilIdle();
  printed = await scrape();
}, 60_000);
afterAll(() => env.stop());

describe('the metrics', () => {
  it('count the answers of the gate by the first condition that closes it', () => {
    expect(valueOf('shipgate_gate_answers_total{answer="open",reason="none"}')).toBe(2);
    expect(valueOf('shipgate_gate_answers_total{answer="closed",reason="not_started"}')).toBe(1);
    expect(valueOf('shipgate_gate_answers_total{answer="error",reason="404"}')).toBe(1);
  });

  it('count every answer of its route, also if the credential could not be checked', () => {
    const answers = (status: number) =>
      valueOf(
        `shipgate_http_request_duration_seconds_count{method="GET",route="/api/milestones/check",status="${status}"}`,
      );
    expect([200, 404, 503].map(answers)).toEqual([3, 1, 1]);
    // So that an alert sees the increase by the first one.
    expect(answers(500)).toBe(0);
    expect(valueOf('shipgate_gate_answers_total{answer="error",reason="503"}')).toBeNull();
  });

  it('count uploads by their outcome', () => {
    expect(valueOf('shipgate_uploads_total{outcome="stored",status="201"}')).toBe(2);
    expect(valueOf('shipgate_uploads_total{outcome="repeated",status="200"}')).toBe(1);
    expect(valueOf('shipgate_uploads_total{outcome="rejected",status="422"}')).toBe(1);
  });

  it('count the artifacts that CI states, and the statements that are signed', () => {
    const artifacts = ['stored', 'repeated', 'rejected'].map((outcome) =>
      valueOf(`shipgate_artifact_statements_total{outcome="${outcome}"}`),
    );
    expect(artifacts).toEqual([1, 1, 1]);
    const results = ['passed', 'failed'].map((result) => valueOf(`shipgate_statements_total{result="${result}"}`));
    expect(results).toEqual([1, 1]);
  });

  it('show the attempts of jobs, and what waits in the queue', () => {
    expect(valueOf('shipgate_job_duration_seconds_count{job="process-webhook",outcome="done"}')).toBeGreaterThan(0);
    expect(valueOf('shipgate_jobs_due{task="process-webhook"}')).toBeGreaterThan(0);
    expect(valueOf('shipgate_jobs_due{task="apply-rulesets"}')).toBe(0);
    expect(valueOf('shipgate_jobs_oldest_due_seconds{task="process-webhook"}')).toBeGreaterThan(0);
    expect(valueOf('shipgate_webhook_oldest_seconds')).toBeGreaterThan(0);
  });

  it('show how old the last complete sync is', () => {
    expect(valueOf('shipgate_workspaces')).toBe(1);
    expect(valueOf('shipgate_sync_oldest_seconds')).toBeGreaterThanOrEqual(600);
    expect(valueOf('shipgate_sync_overdue_workspaces')).toBe(1);
  });

  it('measure the calls to GitHub by route and outcome, without names', () => {
    const route = 'route="GET /repos/{owner}/{repo}/milestones"';
    expect(valueOf(`shipgate_github_calls_total{${route},outcome="200"}`)).toBeGreaterThan(0);
    expect(valueOf('shipgate_github_call_duration_seconds_count{outcome="200"}')).toBeGreaterThan(0);
    expect(printed).not.toContain('measured');
    expect(printed).not.toContain('acme');
  });

  it('show the connections, the storage, the readiness and the build', () => {
    const connections = ['busy', 'idle'].map(
      (state) => valueOf(`shipgate_database_connections{state="${state}"}`) ?? 0,
    );
    expect(Math.max(...connections)).toBeGreaterThan(0);
    expect(valueOf('shipgate_database_wait_seconds_count')).toBeGreaterThan(0);
    expect(valueOf('shipgate_database_connections_max')).toBe(12);
    expect(valueOf('shipgate_storage_used_bytes')).toBeGreaterThan(0);
    expect(valueOf('shipgate_database_size_bytes')).toBeGreaterThan(1_000_000);
    expect(valueOf('shipgate_ready{check="probe"}')).toBe(0);
    expect(valueOf('shipgate_ready{check="clock"}')).toBe(1);
    expect(printed).toMatch(
      new RegExp(`^shipgate_build_info\\{version="[\\d.]+",commit="\\w+",node="${process.versions.node}"\\} 1$`, 'm'),
    );
  });

  it('are those of the guide, with their labels', () => {
    const guide = readFileSync('docs/guides/metrics.md', 'utf8');
    const documented = [...guide.matchAll(/^\| `(shipgate_\w+)`/gm)].map(([, name = '']) => name);
    const own = declared().filter((name) => name.startsWith('shipgate_'));
    expect(documented.toSorted()).toEqual(own.toSorted());
  });
});

describe.each(['deploy/monitoring/alerts.yaml', 'deploy/monitoring/dashboard.json'])('%s', (file) => {
  it('names only metrics that the service has', () => {
    const used = namesIn(readFileSync(file, 'utf8'));
    const series = declared().flatMap((name) => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]);
    expect(used.length).toBeGreaterThan(10);
    expect(used.filter((name) => !series.includes(name))).toEqual([]);
  });
});
