import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { JOB_TABLE } from '../../src/database/job-tables.js';
import { createLineLogger } from '../../src/observability/logger.js';
import { OtlpTracer } from '../../src/observability/otlp-tracer.js';
import { setTracer } from '../../src/observability/tracing.js';
import { OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.js';
import type { GateAnswer } from '../support/ci-run-client.js';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';

let env: TestEnvironment;
let receiver: OtlpReceiver;
let warnings: string[];
let repo: RepositoryScenario;

/** Runs work while traces are on, and returns its spans after the last one was sent. */
async function record(work: () => Promise<unknown>, endpoint = receiver.url): Promise<readonly ReceivedSpan[]> {
  const before = receiver.spans.length;
  warnings = [];
  const log = createLineLogger('warn', { write: (line) => void warnings.push(line) });
  const tracer = new OtlpTracer({ endpoint, ratio: 1 }, log);
  setTracer(tracer);
  try {
    await work();
  } finally {
    setTracer(null);
    await tracer.stop();
  }
  return receiver.spans.slice(before);
}

beforeAll(async () => {
  env = await TestEnvironment.start();
  receiver = await OtlpReceiver.start();
  await env.install();
  repo = new RepositoryScenario(env, { name: 'traced-repository' });
  await repo.approved('v1.0.0');
});
afterAll(async () => {
  await env.stop();
  await receiver.stop();
});

it('follow a delivery through the inbox, its job and calls to GitHub to the verdict', async () => {
  const spans = await record(async () => {
    repo.commit();
    await env.waitUntilIdle();
  });
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const pathOf = (span: ReceivedSpan): readonly string[] => {
    const parent = span.parentSpanId === undefined ? undefined : byId.get(span.parentSpanId);
    return [...(parent ? pathOf(parent) : []), span.name];
  };
  const push = spans.find(({ name, attributes }) => name === 'receive delivery' && attributes['event'] === 'push');
  expect(push?.attributes).toEqual({ event: 'push', result: 'stored', guid: expect.stringMatching(/^[\da-f-]{36}$/) });
  const trace = spans.filter(({ traceId }) => traceId === push?.traceId).map(pathOf);
  expect(trace).toContainEqual(['receive delivery', 'job process-webhook']);
  const ofDelivery = trace.filter(
    ([first, second]) => first === 'receive delivery' && second === 'job process-webhook',
  );
  expect(ofDelivery.map((path) => path.at(-1))).toContain('GET /repos/{owner}/{repo}/git/matching-refs/{ref}');
  expect(ofDelivery.map((path) => path.at(-1))).toContain('evaluate release');
  const verdict = spans.find(({ name, traceId }) => name === 'evaluate release' && traceId === push?.traceId);
  expect(verdict?.attributes).toEqual({
    release: expect.any(String),
    stage: expect.any(String),
    open: expect.any(Boolean),
  });
});

it('show the answer of the gate and an upload', async () => {
  const answers: GateAnswer[] = [];
  const spans = await record(async () => {
    answers.push(await repo.gate('v1.0.0'));
    await repo.run(repo.head()).uploadTests('v1.0.0');
    await env.waitUntilIdle();
  });
  expect(spans.find(({ name }) => name === 'check gate')?.attributes).toEqual({
    open: answers[0]?.can_deploy,
    stage: answers[0]?.current_stage,
    reason: answers[0]?.reasons?.[0]?.code ?? '',
  });
  const upload = spans.find(({ name }) => name === 'receive upload');
  expect(spans.filter(({ traceId }) => traceId === upload?.traceId).map(({ name }) => name)).toContain(
    'job refresh-release',
  );
});

it('contain no name of a repository or user, and no secret', () => {
  const sent = receiver.bodies.join('');
  expect(sent).toContain('job process-webhook');
  for (const name of ['traced-repository', 'acme', repo.reviewer.login]) expect(sent).not.toContain(name);
  env.secretLeaks.search('the traces', sent);
});

it('are dropped with one warning while the collector is away, and disturb nothing', async () => {
  const spans = await record(async () => {
    repo.commit();
    await env.waitUntilIdle();
  }, 'http://127.0.0.1:9');
  expect(spans).toEqual([]);
  expect(warnings.map((line) => (JSON.parse(line) as { readonly msg: string }).msg)).toEqual([
    'Traces cannot be sent to OTEL_EXPORTER_OTLP_ENDPOINT. Everything else works.',
  ]);
});

it('leave payloads of jobs as they were while they are off', async () => {
  repo.milestone('v2.0.0');
  await env.outbox.waitUntilIdle();
  const jobs = await env.asSuperuser<{ readonly payload: object }>(`select payload from ${JOB_TABLE}`);
  expect(jobs.filter(({ payload }) => 'traceparent' in payload)).toEqual([]);
  await env.waitUntilIdle();
});
