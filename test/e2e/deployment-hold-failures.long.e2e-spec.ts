import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TestEnvironment } from '../support/test-environment.js';
import { HoldScenario, VERSION } from './scenarios/hold-scenario.js';
import { PLAIN_POLICY } from './scenarios/repository-scenario.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** A delivery that is so late arrives after the answer to an earlier one. */
const LATE_MS = 15_000;
const POST = /^POST .*\/deployment_protection_rule$/;
const JOBS = Array.from({ length: 20 }, (_, index) => `deploy (${index + 1})`);

let env: TestEnvironment;
beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off' });
  await env.install();
});
afterAll(() => env.stop());
afterEach(() => {
  env.github.faults.clear();
  expect(env.violations).toEqual([]);
});

const scenario = (name: string): HoldScenario => new HoldScenario(env, { name, sdlc: PLAIN_POLICY });

/** Advances the clock, and runs the jobs that are due then. */
async function later(milliseconds: number): Promise<void> {
  env.clock.advance(milliseconds);
  await env.hurry();
}

/** Waits for something that the service does before it is idle. */
async function until(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone())) await sleep(20);
}

/** Fails the next statements of this kind on the table of the holds, as if the process had ended before them. */
async function failOnce(when: string): Promise<void> {
  await env.asSuperuser(`
    create sequence crashes;
    grant usage on sequence crashes to public;
    create function crash() returns trigger language plpgsql security definer as $$
      begin if nextval('crashes') = 1 then raise exception 'The process ends here.'; end if; return new; end $$;
    create trigger crash before update on deployment_hold for each row when (${when}) execute function crash()`);
}
afterEach(() => env.asSuperuser('drop function if exists crash() cascade; drop sequence if exists crashes'));

describe('the deliveries of a deployment that waits', () => {
  it('lead to one answer for all jobs of a matrix', async () => {
    const repo = scenario('matrix');
    const run = repo.request(await repo.approved(VERSION), { jobs: JOBS });
    await env.waitUntilIdle();
    await later(MINUTE_MS);
    expect(repo.answers(run)).toEqual(['approved']);
    await repo.finish(run);
    expect((await repo.kinds()).filter((kind) => kind !== 'release')).toEqual([]);
  });

  it('lead to one answer if one arrives after the answer, and end a hold that no longer waits', async () => {
    const repo = scenario('late');
    const sha = await repo.approved(VERSION);
    env.outbox.faults.next({ kind: 'delay', event: 'deployment_protection_rule', ms: LATE_MS });
    const run = repo.request(sha, { jobs: JOBS.slice(0, 2) });
    await until(async () => repo.answers(run).length > 0);
    // The answer was for both jobs, so one of them has ended before its delivery arrives.
    run.holds.finish();
    await env.waitUntilIdle();
    await later(MINUTE_MS);
    expect(repo.answers(run)).toEqual(['approved']);
    expect(await repo.states(run)).toEqual(['approved', 'gone']);
    expect(new Set(await repo.kinds())).toEqual(new Set(['release']));
  });

  it('lead to an answer by the gate of that moment if the only one arrives late', async () => {
    const repo = scenario('late-and-closed');
    const sha = await repo.approved(VERSION);
    env.outbox.faults.next({ kind: 'delay', event: 'deployment_protection_rule', ms: LATE_MS });
    const run = repo.request(sha);
    await repo.close();
    expect(repo.answers(run)).toEqual([]);
    expect(await repo.states(run)).toEqual(['waiting']);
    await repo.open();
    expect(repo.answers(run)).toEqual(['approved']);
  });

  it('lead to one answer if they arrive twice and in another order', async () => {
    const repo = scenario('twice');
    const sha = await repo.approved(VERSION);
    env.outbox.faults.next({ kind: 'duplicate', event: 'deployment_protection_rule', times: 2 });
    env.outbox.faults.next({ kind: 'reorder', event: 'deployment_protection_rule' });
    const run = repo.request(sha, { jobs: JOBS.slice(0, 3) });
    await env.waitUntilIdle();
    await later(MINUTE_MS);
    expect(repo.answers(run)).toEqual(['approved']);
    expect(new Set(await repo.states(run))).not.toContain('waiting');
  });

  it('are replaced by the next sync if they are lost', async () => {
    const repo = scenario('lost');
    const first = repo.request(await repo.approved(VERSION));
    await env.waitUntilIdle();
    expect(repo.answers(first)).toEqual(['approved']);
    env.outbox.faults.next({ kind: 'lose', event: 'deployment_protection_rule' });
    env.clock.advance(5_000);
    const run = repo.request(first.sha);
    await env.waitUntilIdle();
    expect(repo.answers(run)).toEqual([]);
    await env.resync();
    expect(repo.answers(run)).toEqual(['approved']);
    await repo.finish(run);
    expect(await repo.kinds()).toEqual(['release']);
  });
});

describe('an answer that GitHub does not confirm', () => {
  it('is found by reading if its response is lost after it took effect', async () => {
    const repo = scenario('answer-lost');
    const sha = await repo.approved(VERSION);
    env.github.faults.next({ kind: 'drop', match: POST, afterWork: true });
    const run = repo.request(sha);
    await env.waitUntilIdle();
    await later(MINUTE_MS);
    expect(repo.answers(run)).toEqual(['approved']);
    expect(await repo.states(run)).toEqual(['approved']);
    await repo.finish(run);
    expect(await repo.kinds()).toEqual(['release']);
  });

  it('is sent again if it had no effect', async () => {
    const repo = scenario('not-taken');
    const sha = await repo.approved(VERSION);
    env.github.faults.next({ kind: 'drop', match: POST });
    const run = repo.request(sha);
    await env.waitUntilIdle();
    expect(repo.answers(run)).toEqual([]);
    await later(MINUTE_MS);
    expect(repo.answers(run)).toEqual(['approved']);
    expect(await repo.states(run)).toEqual(['approved']);
  });

  it.each([
    ['secondary-limit', { kind: 'secondary-limit', match: POST, retryAfterS: 1 } as const],
    ['502', { kind: '5xx', match: POST, status: 502 } as const],
  ])('is sent once after %s', async (name, fault) => {
    const repo = scenario(`refused-${name}`);
    const sha = await repo.approved(VERSION);
    env.github.faults.next(fault);
    const run = repo.request(sha);
    await env.waitUntilIdle();
    await later(2 * MINUTE_MS);
    expect(repo.reviews(run).filter(({ status }) => status === 204)).toHaveLength(1);
    expect(await repo.states(run)).toEqual(['approved']);
  });

  it('is sent again when the rule was removed meanwhile and is added again', async () => {
    const repo = scenario('forbidden');
    const sha = await repo.approved(VERSION);
    repo.production.enable(env.github.registerApp({ name: 'Other', owner: env.organization }));
    const run = repo.request(sha);
    repo.production.disable(repo.production.rules[0]!);
    await env.waitUntilIdle();
    expect(repo.reviews(run)).toMatchObject([{ state: 'approved', status: 403 }]);
    expect(await repo.states(run)).toEqual(['waiting']);
    repo.production.enable(env.githubApp);
    await later(MINUTE_MS);
    expect(repo.reviews(run)).toMatchObject([{ status: 403 }, { state: 'approved', status: 204 }]);
    expect(await repo.states(run)).toEqual(['approved']);
  });

  /** Does the work right before GitHub handles the answer. */
  const beforeAnswer = (work: () => void): void =>
    env.github.faults.next({
      kind: 'delay',
      ms: 0,
      match: ({ method, url }) => {
        const isAnswer = POST.test(`${method} ${url}`);
        if (isAnswer) work();
        return isAnswer;
      },
    });

  it('ends the hold if the job was bypassed meanwhile', async () => {
    const repo = scenario('no-pending');
    const sha = await repo.approved(VERSION);
    const run = repo.workflow(sha, 'deploy');
    beforeAnswer(() => run.holds.bypass('production', env.organization.founder));
    run.holds.request('deploy', 'production');
    await env.waitUntilIdle();
    expect(repo.reviews(run)).toMatchObject([{ state: 'approved', status: 422 }]);
    expect(await repo.states(run)).toEqual(['gone']);
  });

  it('leaves the hold waiting if GitHub has another answer and the job still waits', async () => {
    const repo = scenario('reviewed');
    const sha = await repo.approved(VERSION);
    const other = env.github.registerApp({ name: 'Another', owner: env.organization });
    repo.production.enable(other);
    const run = repo.workflow(sha, 'deploy');
    beforeAnswer(() => run.holds.decide(env.githubApp, repo.production, 'approved', 'By hand.'));
    run.holds.request('deploy', 'production');
    await env.waitUntilIdle();
    expect(repo.reviews(run)).toMatchObject([{ state: 'approved', status: 422 }]);
    expect(await repo.states(run)).toEqual(['waiting']);
    run.holds.decide(other, repo.production, 'approved', '');
    await later(MINUTE_MS);
    expect(await repo.states(run)).toEqual(['gone']);
  });
});

describe('a process that ends', () => {
  it.each([
    ['before the answer is saved', `new.sent_at is not null and old.sent_at is null`],
    ['after GitHub took the answer', `new.state = 'approved'`],
  ])('%s sends one answer', async (step, when) => {
    const repo = scenario(`crash-${step.split(' ')[0]}`);
    const sha = await repo.approved(VERSION);
    await failOnce(when);
    const run = repo.request(sha);
    await env.waitUntilIdle();
    expect(await repo.states(run)).toEqual(['waiting']);
    await env.hurry();
    expect(repo.reviews(run)).toMatchObject([{ state: 'approved', status: 204 }]);
    expect(await repo.states(run)).toEqual(['approved']);
    await repo.finish(run);
    expect(await repo.kinds()).toEqual(['release']);
  });

  it('before the answer is sent approves nothing if the gate closed meanwhile', async () => {
    const repo = scenario('crash-closed');
    const sha = await repo.approved(VERSION);
    env.github.faults.next({ kind: 'drop', match: POST });
    const run = repo.request(sha);
    await env.waitUntilIdle();
    await repo.close();
    await later(MINUTE_MS);
    expect(repo.answers(run)).toEqual([]);
    expect(await repo.states(run)).toEqual(['waiting']);
  });
});

describe('a read that GitHub does not answer', () => {
  it.each([
    ['the run', /^GET .*\/actions\/runs\/\d+$/],
    ['the waiting jobs', /^GET .*\/pending_deployments$/],
    ['the reviews of the run', /^GET .*\/actions\/runs\/\d+\/approvals/],
    ['the policy', /^GET .*\/contents\/sdlc\.yaml/],
  ])('of %s approves nothing, until it is answered', async (read, match) => {
    const repo = scenario(`unread-${read.replaceAll(' ', '-')}`);
    const sha = await repo.approved(VERSION);
    // The reviews are read only after an answer that GitHub did not confirm.
    const isAfterAnswer = read === 'the reviews of the run';
    if (isAfterAnswer) env.github.faults.next({ kind: '5xx', match: POST, status: 502 });
    const isOfRepository = new RegExp(`/${repo.repository.name}/`);
    env.github.faults.next({
      kind: '5xx',
      status: 503,
      match: ({ method, url }) => isOfRepository.test(url) && match.test(`${method} ${url.split('?')[0]}`),
      times: 1_000,
    });
    const run = repo.request(sha);
    await env.waitUntilIdle();
    await later(2 * MINUTE_MS);
    expect(repo.answers(run)).toEqual([]);
    expect(await repo.states(run)).toEqual(['waiting']);
    env.github.faults.clear();
    await later(2 * MINUTE_MS);
    expect(repo.answers(run)).toEqual(['approved']);
    expect(await repo.states(run)).toEqual(['approved']);
  });
});

describe('a hold that nothing can answer any more', () => {
  it('is gone after 30 days in which the app was suspended, and not before', async () => {
    const repo = scenario('month');
    const run = repo.request(await repo.evidencing(VERSION));
    await env.waitUntilIdle();
    const [installation] = env.github.state.installations.of(env.organization);
    installation!.suspend();
    await env.waitUntilIdle();
    await later(30 * DAY_MS - MINUTE_MS);
    expect(await repo.states(run)).toEqual(['waiting']);
    await later(2 * MINUTE_MS);
    expect(await repo.states(run)).toEqual(['gone']);
    expect(repo.answers(run)).toEqual([]);
    installation!.unsuspend();
    await env.waitUntilIdle();
  });

  it('waits while the app is not installed, and is gone after 30 days', async () => {
    const other = await TestEnvironment.start({ BILLING: 'off' });
    try {
      await other.install();
      const repo = new HoldScenario(other, { name: 'deleted', sdlc: PLAIN_POLICY });
      const run = repo.request(await repo.evidencing(VERSION));
      await other.waitUntilIdle();
      const [installation] = other.github.state.installations.of(other.organization);
      installation!.delete();
      await other.waitUntilIdle();
      other.clock.advance(MINUTE_MS);
      await other.hurry();
      expect(await repo.states(run)).toEqual(['waiting']);
      other.clock.advance(30 * DAY_MS);
      await other.hurry();
      expect([await repo.states(run), repo.answers(run)]).toEqual([['gone'], []]);
    } finally {
      await other.stop();
    }
  });
});

describe('an app that is suspended', () => {
  it('decides nothing, and decides when the suspension ends', async () => {
    const repo = scenario('suspended');
    const sha = await repo.evidencing(VERSION);
    const run = repo.request(sha);
    await env.waitUntilIdle();
    const [installation] = env.github.state.installations.of(env.organization);
    installation!.suspend();
    await env.waitUntilIdle();
    await later(MINUTE_MS);
    expect(await repo.states(run)).toEqual(['waiting']);
    installation!.unsuspend();
    await env.waitUntilIdle();
    await repo.open();
    await later(MINUTE_MS);
    expect(repo.answers(run)).toEqual(['approved']);
  });
});
