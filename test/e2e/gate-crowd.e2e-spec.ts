import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { keySecret } from '../../src/domain/keys/key-secret.js';
import { TestEnvironment } from '../support/world.js';
import { RepositoryScene } from './scene/repository-scene.js';
import { askGate } from './scene/service-requests.js';

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

/** Requests that arrive together are read together; what is answered to one must never reach another. */
describe('a gate that many ask at once', () => {
  let world: TestEnvironment;
  let questions: readonly { readonly bearer: string; readonly repo: string; readonly answer: object }[];

  beforeAll(async () => {
    world = await TestEnvironment.start();
    const other = world.github.createOrganization({ login: 'globex' });
    await world.install();
    await world.install(other);
    const acme = new RepositoryScene(world, { name: 'payments' });
    const globex = new RepositoryScene(world, { name: 'payments-api', organization: other });
    globex.repository.rename('payments');
    await world.settle();
    await acme.approved(VERSION);
    globex.milestone(VERSION);
    await world.settle();
    const [ours, theirs] = [await world.key(), await world.key(undefined, other)];
    questions = [
      { bearer: ours, repo: 'acme/payments', answer: OPEN },
      { bearer: theirs, repo: 'globex/payments', answer: PLANNED },
      { bearer: keySecret('sgk', randomBytes(32)), repo: 'acme/payments', answer: INVALID_KEY },
      { bearer: theirs, repo: 'payments', answer: PLANNED },
      { bearer: theirs, repo: 'acme/payments', answer: UNKNOWN_REPOSITORY },
      { bearer: ours, repo: 'payments', answer: OPEN },
      { bearer: ours, repo: 'globex/payments', answer: UNKNOWN_REPOSITORY },
    ];
  });
  afterAll(() => world.stop());
  afterEach(() => expect(world.violations).toEqual([]));

  it('gives each its own answer', async () => {
    const crowd = Array.from({ length: 20 }, () => questions).flat();
    // While nobody can read a key, all of them gather.
    const held = world.asSuperuser(
      `do $$ begin lock table api_key in access exclusive mode; perform pg_sleep(${HELD_SECONDS}); end $$`,
    );
    const answers = await Promise.all(
      crowd.map(async ({ bearer, repo }) => {
        const { status, body } = await askGate(world, bearer, { repo, version: VERSION });
        return { status, body };
      }),
    );
    await held;
    expect(answers).toEqual(crowd.map(({ answer }) => answer));
  });
});
