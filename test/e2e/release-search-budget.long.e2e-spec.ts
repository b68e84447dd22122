import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';
import { requestGate, postUpload } from './scenarios/service-requests.js';

const REQUESTS = 60;

let env: TestEnvironment;
let ledger: RepositoryScenario;
let payments: RepositoryScenario;

beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off' });
  ledger = new RepositoryScenario(env, { name: 'ledger' });
  payments = new RepositoryScenario(env, { name: 'payments' });
  await env.install();
  await ledger.approved('v1.0.0');
});
afterAll(() => env.stop());
afterEach(() => expect(env.violations).toEqual([]));

/** The number of calls to GitHub during the work whose path matches. */
async function callsDuring(address: RegExp, work: () => Promise<unknown>): Promise<number> {
  const before = env.exchanges.length;
  await work();
  return env.exchanges.slice(before).filter(({ path }) => address.test(path)).length;
}

const statuses = (answers: readonly { readonly status: number }[]): readonly number[] =>
  [...new Set(answers.map(({ status }) => status))].toSorted((a, b) => a - b);

describe('a credential that requests many unknown names', () => {
  it('of versions causes a limited number of searches on GitHub, and then gets a retry time', async () => {
    const bearer = await env.key(['gate:read']);
    const answers: Awaited<ReturnType<typeof requestGate>>[] = [];
    const calls = await callsDuring(/\/milestones/, async () => {
      for (let n = 0; n < REQUESTS; n += 1) {
        answers.push(await requestGate(env, bearer, { repo: 'ledger', version: `v8.0.${n}` }));
      }
    });
    expect(calls).toBeGreaterThan(0);
    expect(calls).toBeLessThan(30);
    expect(statuses(answers)).toEqual([404, 429]);
    expect(answers.at(-1)?.headers.get('retry-after')).toBe('5');
    expect((await requestGate(env, bearer, { repo: 'ledger', version: 'v1.0.0' })).status).toBe(200);
  });

  it('of commits causes a limited number of comparisons on GitHub, and the gate stays closed for all of them', async () => {
    const bearer = await env.key(['gate:read']);
    const answers: Awaited<ReturnType<typeof requestGate>>[] = [];
    const calls = await callsDuring(/\/compare\//, async () => {
      for (let n = 0; n < REQUESTS; n += 1) {
        const sha = n.toString(16).padStart(40, 'e');
        answers.push(await requestGate(env, bearer, { repo: 'ledger', version: 'v1.0.0', sha }));
      }
    });
    expect(calls).toBeGreaterThan(0);
    expect(calls).toBeLessThan(30);
    expect(statuses(answers)).toEqual([200]);
    expect(answers.every(({ body }) => body['can_deploy'] === false)).toBe(true);
    const sha = ledger.head();
    expect((await requestGate(env, bearer, { repo: 'ledger', version: 'v1.0.0', sha })).body['can_deploy']).toBe(true);
  });

  it('in uploads causes a limited number of searches, and others still find what was just created', async () => {
    const bearer = await env.key(['evidence:write']);
    const answers: Awaited<ReturnType<typeof postUpload>>[] = [];
    const calls = await callsDuring(/\/milestones/, async () => {
      for (let n = 0; n < REQUESTS; n += 1) {
        const body = { repo: 'ledger', version: `v7.0.${n}`, pipeline: 'ci', metrics: { a: 1 } };
        answers.push(await postUpload(env, { bearer, body }));
      }
    });
    expect(calls).toBeLessThan(30);
    expect(statuses(answers)).toEqual([404, 429]);
    env.outbox.faults.next({ kind: 'lose', event: 'milestone' });
    payments.milestone('v1.0.0');
    expect((await payments.gate('v1.0.0')).current_stage).toBe('PLANNING');
  });

  it('can request again after a while', async () => {
    const bearer = await env.key(['gate:read']);
    const request = async (version: string) => (await requestGate(env, bearer, { repo: 'ledger', version })).status;
    for (let n = 0; n < REQUESTS; n += 1) await request(`v6.0.${n}`);
    expect(await request('v6.1.0')).toBe(429);
    env.clock.advance(5_000);
    expect(await request('v6.1.0')).toBe(404);
  });
});
