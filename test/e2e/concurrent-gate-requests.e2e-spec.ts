import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { keySecret } from '../../src/domain/keys/key-secret.js';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';
import { requestGate } from './scenarios/service-requests.js';

const VERSION = 'v1.0.0';
const OPEN = {
  status: 200,
  body: {
    version: VERSION,
    current_stage: 'DEPLOYMENT',
    evidence_pr_approved: true,
    tests_passing: true,
    can_deploy: true,
  },
};
const PLANNED = {
  status: 200,
  body: {
    version: VERSION,
    current_stage: 'PLANNING',
    evidence_pr_approved: false,
    tests_passing: false,
    can_deploy: false,
  },
};
const UNKNOWN_REPOSITORY = {
  status: 404,
  body: { error: 'The workspace has no such repository, or this credential has no access to it.' },
};
const INVALID_KEY = { status: 401, body: { error: 'The credential is not valid.' } };

/** Less than the service waits for a lock. */
const HELD_SECONDS = 2;

/** Concurrent requests are read together. No caller may get the response to another one. */
describe('a gate with many requests at once', () => {
  let env: TestEnvironment;
  let queries: readonly { readonly bearer: string; readonly repo: string; readonly answer: object }[];

  beforeAll(async () => {
    env = await TestEnvironment.start();
    const other = env.github.createOrganization({ login: 'globex' });
    await env.install();
    await env.install(other);
    const acme = new RepositoryScenario(env, { name: 'payments' });
    const globex = new RepositoryScenario(env, { name: 'payments-api', organization: other });
    globex.repository.rename('payments');
    await env.waitUntilIdle();
    await acme.approved(VERSION);
    globex.milestone(VERSION);
    await env.waitUntilIdle();
    const [ours, theirs] = [await env.key(), await env.key(undefined, other)];
    const [ourRun, theirRun] = [await acme.run(acme.head()).token(), await globex.run(globex.head()).token()];
    queries = [
      { bearer: ours, repo: 'acme/payments', answer: OPEN },
      { bearer: theirs, repo: 'globex/payments', answer: PLANNED },
      { bearer: keySecret('sgk', randomBytes(32)), repo: 'acme/payments', answer: INVALID_KEY },
      { bearer: theirs, repo: 'payments', answer: PLANNED },
      { bearer: theirs, repo: 'acme/payments', answer: UNKNOWN_REPOSITORY },
      { bearer: ours, repo: 'payments', answer: OPEN },
      { bearer: ours, repo: 'globex/payments', answer: UNKNOWN_REPOSITORY },
      { bearer: ourRun, repo: 'acme/payments', answer: OPEN },
      { bearer: theirRun, repo: 'payments', answer: PLANNED },
      { bearer: ourRun, repo: 'globex/payments', answer: UNKNOWN_REPOSITORY },
      { bearer: theirRun, repo: 'acme/payments', answer: UNKNOWN_REPOSITORY },
      { bearer: ourRun, repo: 'payments', answer: OPEN },
    ];
  });
  afterAll(() => env.stop());
  afterEach(() => expect(env.violations).toEqual([]));

  it('returns to each caller its own response', async () => {
    const crowd = Array.from({ length: 20 }, () => queries).flat();
    // All requests wait while no credential can be read.
    const held = env.asSuperuser(
      `do $$ begin lock table api_key, organization in access exclusive mode; perform pg_sleep(${HELD_SECONDS}); end $$`,
    );
    const answers = await Promise.all(
      crowd.map(async ({ bearer, repo }) => {
        const { status, body } = await requestGate(env, bearer, { repo, version: VERSION });
        return { status, body };
      }),
    );
    await held;
    expect(answers).toEqual(crowd.map(({ answer }) => answer));
  });
});
