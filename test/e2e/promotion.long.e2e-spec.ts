import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { JobWorker } from '../../src/jobs/worker/job-worker.js';
import { signIn } from '../support/user-session.js';
import { TestEnvironment } from '../support/test-environment.js';
import { CHANGED, ENFORCE, InstalledScenario } from './scenarios/installed-scenario.js';
import { auditOf } from './scenarios/members.js';
import { OverrideScenario } from './scenarios/override-scenario.js';
import { codesOf, PLAIN_POLICY, RepositoryScenario } from './scenarios/repository-scenario.js';
import { JOB_TABLE } from '../../src/database/job-tables.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const VERSION = 'v1.0.0';
const AUTO_POLICY = `${PLAIN_POLICY}  deployment: { promotion: auto }\n`;

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

const scenario = (name: string, sdlc = AUTO_POLICY): RepositoryScenario => new RepositoryScenario(env, { name, sdlc });
const day = (days: number): string => new Date(env.clock.now().getTime() + days * DAY_MS).toISOString().slice(0, 10);
const frozenBy = (policy: string, from: string, to = from): string =>
  `${policy}freezes: [{ from: ${from}, to: ${to}, reason: audit }]\n`;

/** The commits of the dispatch requests to GitHub, and the statuses of the responses. */
const requested = ({ repository }: RepositoryScenario): readonly (readonly [unknown, number])[] =>
  env.exchanges
    .filter(({ method, path }) => method === 'POST' && path.endsWith(`/repos/${repository.fullName}/dispatches`))
    .map(({ requestBody, status }) => {
      const { event_type: type, client_payload: payload } = requestBody as Record<string, Record<string, unknown>>;
      expect([type, payload?.['version']]).toEqual(['shipgate-deploy', VERSION]);
      return [payload?.['commit'], status] as const;
    });
const sent = (repo: RepositoryScenario): readonly unknown[] =>
  requested(repo).flatMap(([commit, status]) => (status === 204 ? [commit] : []));

/** Runs everything that can follow without another event: delayed jobs and the sync. */
async function allFollows(): Promise<void> {
  await env.hurry();
  await env.resync();
  await env.hurry();
}

describe('the dispatch of an automatic promotion', () => {
  it('is sent when a freeze ends, without any event', async () => {
    const repo = scenario('freeze-ends', frozenBy(AUTO_POLICY, day(0), day(1)));
    const sha = await repo.approved(VERSION);
    expect(codesOf(await repo.gate(VERSION))).toEqual(['freeze']);
    await env.hurry();
    expect(requested(repo)).toEqual([]);
    env.clock.advance(2 * DAY_MS);
    await env.hurry();
    expect(sent(repo)).toEqual([sha]);
    await allFollows();
    expect(sent(repo)).toEqual([sha]);
  });

  it('waits for a job at the end of the freeze, which survives the process', async () => {
    const [today, last, end] = [day(0), day(2), day(3)];
    const repo = scenario('freeze-scheduled', frozenBy(AUTO_POLICY, today, last));
    await repo.approved(VERSION);
    const [job] = await env.asSuperuser<{ hours: number }>(
      `select extract(epoch from run_at - now()) / 3600 as hours from graphile_worker.jobs
       where task_identifier = 'dispatch-deployment'
         and key = 'dispatch:' || (select r.id from release r join repository p on p.id = r.repository_id
           where p.github_id = ${repo.repository.id})`,
    );
    const left = (Date.parse(end) - env.clock.now().getTime()) / HOUR_MS;
    expect(Math.abs(Number(job?.hours) - left)).toBeLessThan(0.5);
  });

  it('is sent when a freeze of the workspace is lifted', async () => {
    const repo = scenario('freeze-lifted');
    const ada = await signIn(env, env.github.createUser({ login: 'ada' }), { role: 'admin' });
    const { body } = await ada.send('POST', '/api/freezes', { from: day(0), to: day(9), reason: 'launch' });
    const sha = await repo.approved(VERSION);
    await env.hurry();
    expect(requested(repo)).toEqual([]);
    await ada.send('DELETE', `/api/freezes/${String(body['id'])}`);
    await env.waitUntilIdle();
    expect(sent(repo)).toEqual([sha]);
  });

  it('is sent when a waiver covers the freeze', async () => {
    const repo = new OverrideScenario(env, VERSION, { name: 'waived', sdlc: frozenBy(AUTO_POLICY, day(0), day(9)) });
    const [bob, cy] = [await repo.admin('bob'), await repo.admin('cy')];
    const sha = await repo.approved(VERSION);
    expect(requested(repo)).toEqual([]);
    await repo.confirm(cy, 'waivers', await repo.requestWaiver(bob, { condition: 'freeze' }));
    await env.waitUntilIdle();
    expect(sent(repo)).toEqual([sha]);
  });

  it('is sent when a file after tampering is restored', async () => {
    const repo = await InstalledScenario.install(env, { name: 'restored', sdlc: AUTO_POLICY });
    await repo.evidencing(VERSION);
    await repo.push({ [ENFORCE]: CHANGED });
    repo.approve(VERSION);
    await env.waitUntilIdle();
    expect(await repo.gate(VERSION)).toMatchObject({ current_stage: 'DEPLOYMENT', can_deploy: false });
    expect(requested(repo)).toEqual([]);
    await repo.restore();
    await allFollows();
    expect(sent(repo)).toHaveLength(1);
  });

  it('is sent after GitHub was unavailable when the gate would have opened', async () => {
    const repo = scenario('outage');
    const sha = await repo.evidencing(VERSION);
    env.github.faults.next({ kind: '5xx', status: 503, times: Number.POSITIVE_INFINITY });
    repo.approve(VERSION);
    await env.waitUntilIdle();
    env.clock.advance(HOUR_MS);
    await env.waitUntilIdle();
    expect(sent(repo)).toEqual([]);
    env.github.faults.clear();
    env.clock.advance(HOUR_MS);
    await allFollows();
    expect(sent(repo)).toEqual([sha]);
  });

  it('is sent after GitHub was unavailable for the dispatch, with known facts', async () => {
    const repo = scenario('away-at-last');
    const sha = await repo.evidencing(VERSION);
    await env.app.get(JobWorker).stop();
    repo.approve(VERSION);
    await env.outbox.waitUntilIdle();
    const reads = /GET .*(reviews|pulls)/;
    env.github.faults.next({
      kind: '5xx',
      match: ({ method, url }) => !reads.test(`${method} ${url}`),
      times: Number.POSITIVE_INFINITY,
    });
    await env.app.get(JobWorker).start();
    await env.waitUntilIdle();
    expect(sent(repo)).toEqual([]);
    env.github.faults.clear();
    env.clock.advance(HOUR_MS);
    await allFollows();
    expect(sent(repo)).toEqual([sha]);
  });

  it.each([
    { rejection: 'for its rate limit', fault: { kind: 'secondary-limit', retryAfterS: 60 } },
    { rejection: 'before the work, for too many calls', fault: { kind: 'primary-limit' } },
  ] as const)('is sent again after GitHub rejected it $rejection', async ({ fault }) => {
    const repo = scenario(`refused-${fault.kind}`);
    const sha = await repo.evidencing(VERSION);
    env.github.faults.next({ ...fault, match: /POST .*\/dispatches/ });
    repo.approve(VERSION);
    await env.waitUntilIdle();
    expect(sent(repo)).toEqual([]);
    env.clock.advance(2 * HOUR_MS);
    await allFollows();
    expect(sent(repo)).toEqual([sha]);
  });

  it.each([
    ['broke off the connection', { kind: 'drop', afterWork: true }, 1],
    ['failed after its work', { kind: '5xx', afterWork: true }, 1],
    // The simulated GitHub records no exchange for a request that it did not handle.
    ['failed before its work, which is unknown', { kind: '5xx' }, 0],
  ] as const)('is not sent a second time if GitHub %s, and admins are informed', async (name, fault, noted) => {
    const repo = scenario(`unknown-${name.length}`);
    await repo.evidencing(VERSION);
    env.github.faults.next({ ...fault, match: /POST .*\/dispatches/ });
    repo.approve(VERSION);
    await env.waitUntilIdle();
    env.clock.advance(2 * HOUR_MS);
    await allFollows();
    expect(await repo.gate(VERSION)).toMatchObject({ can_deploy: true });
    await allFollows();
    expect(requested(repo)).toHaveLength(noted);
    expect((await auditOf(env, await env.orgId())).at(-1)).toBe(`promotion.unknown ${VERSION}`);
    expect(env.lines.filter((line) => line.includes('It is not sent again'))).not.toEqual([]);
  });

  it('is sent once, however often the gate closes and opens', async () => {
    const repo = scenario('again-and-again');
    const sha = await repo.approved(VERSION);
    for (const state of ['CHANGES_REQUESTED', 'APPROVED', 'CHANGES_REQUESTED', 'APPROVED'] as const) {
      repo.repository.pulls.reviews.submit(repo.evidencePull(VERSION), { by: repo.reviewer, state, body: 'So.' });
      await env.waitUntilIdle();
    }
    expect(await repo.gate(VERSION)).toMatchObject({ can_deploy: true });
    await allFollows();
    expect(sent(repo)).toEqual([sha]);
  });

  it('is sent once for a candidate, also if a commit with only evidence follows, and again for the next candidate', async () => {
    const repo = scenario('next-candidate');
    const first = await repo.approved(VERSION);
    repo.repository.commit({ files: { '.releases/notes.md': 'kept with the evidence' } });
    await allFollows();
    expect(sent(repo)).toEqual([first]);
    const second = repo.commit();
    await env.waitUntilIdle();
    await repo.test(VERSION, second);
    expect(sent(repo)).toEqual([first]);
    repo.approve(VERSION);
    await env.waitUntilIdle();
    expect(sent(repo)).toEqual([first, second]);
  });

  it('is sent once when two jobs try it at once', async () => {
    const repo = scenario('two-at-once');
    const sha = await repo.evidencing(VERSION);
    await env.app.get(JobWorker).stop();
    repo.approve(VERSION);
    await env.outbox.waitUntilIdle();
    await env.asSuperuser(`
      select graphile_worker.add_job('dispatch-deployment', json_build_object('orgId', r.org_id, 'releaseId', r.id),
        run_at => now() + interval '2 s') from release r join repository p on p.id = r.repository_id
        cross join generate_series(1, 4) where p.github_id = ${repo.repository.id}`);
    await env.app.get(JobWorker).start();
    await allFollows();
    expect(sent(repo)).toEqual([sha]);
  });

  it('is not sent by an early job, for a cancelled release, or under a policy with manual promotion', async () => {
    const [early, cancelled, manual] = [scenario('early'), scenario('cancelled'), scenario('manual', PLAIN_POLICY)];
    await early.evidencing(VERSION);
    await cancelled.evidencing(VERSION);
    const [milestone] = cancelled.repository.milestones.list();
    if (milestone) cancelled.repository.milestones.close(milestone);
    cancelled.approve(VERSION);
    await manual.approved(VERSION);
    await env.asSuperuser(`
      select graphile_worker.add_job('dispatch-deployment', json_build_object('orgId', r.org_id, 'releaseId', r.id))
      from release r join repository p on p.id = r.repository_id where p.name in ('early', 'cancelled', 'manual')`);
    await allFollows();
    expect([requested(early), requested(cancelled), requested(manual)]).toEqual([[], [], []]);

    // The gate first opened while users deployed by hand, so a change of the policy deploys nothing.
    manual.repository.commit({ files: { 'sdlc.yaml': AUTO_POLICY } });
    await allFollows();
    expect(await manual.gate(VERSION)).toMatchObject({ can_deploy: true });
    expect(requested(manual)).toEqual([]);
  });

  it('is not sent if a fact has changed without a delivery', async () => {
    const repo = scenario('turned');
    await repo.evidencing(VERSION);
    await env.app.get(JobWorker).stop();
    repo.approve(VERSION);
    await env.outbox.waitUntilIdle();
    await env.asSuperuser(`
      create function late() returns trigger language plpgsql as $$
        begin new.run_at = now() + interval '1 hour'; return new; end $$;
      create trigger late before insert or update on ${JOB_TABLE}
        for each row when (new.key like 'dispatch:%') execute function late()`);
    await env.app.get(JobWorker).start();
    await env.waitUntilIdle();
    expect(await repo.gate(VERSION)).toMatchObject({ can_deploy: true });
    env.outbox.faults.next({ kind: 'lose', event: 'pull_request_review' });
    const pull = repo.evidencePull(VERSION);
    repo.repository.pulls.reviews.submit(pull, { by: repo.reviewer, state: 'CHANGES_REQUESTED', body: 'No.' });
    await env.asSuperuser('drop function late() cascade');
    await env.hurry();
    expect(requested(repo)).toEqual([]);
    repo.approve(VERSION);
    await env.waitUntilIdle();
    expect(sent(repo)).toHaveLength(1);
  });

  it('is not sent again if a process ended between the record and the response, and admins are informed', async () => {
    const repo = scenario('broken-off');
    const sha = await repo.approved(VERSION);
    expect(sent(repo)).toEqual([sha]);
    const orgId = await env.orgId();
    expect((await auditOf(env, orgId)).at(-1)).toBe(`promotion.sent ${VERSION}`);
    await env.asSuperuser(`update promotion set outcome = null where candidate_sha = '${sha}'`);
    await env.asSuperuser(`
      select graphile_worker.add_job('dispatch-deployment', json_build_object('orgId', r.org_id, 'releaseId', r.id))
      from release r join repository p on p.id = r.repository_id where p.github_id = ${repo.repository.id}`);
    await allFollows();
    expect(sent(repo)).toEqual([sha]);
    expect((await auditOf(env, orgId)).at(-1)).toBe(`promotion.unknown ${VERSION}`);
  });
});

describe('a candidate of a workspace whose quota is used up', () => {
  let full: TestEnvironment;
  beforeAll(async () => {
    full = await TestEnvironment.start();
    await full.install();
  });
  afterAll(() => full.stop());

  it('is promoted when its plan allows it', async () => {
    const scenarios: RepositoryScenario[] = [];
    for (const name of ['one', 'two', 'three', 'four']) {
      const repo = new RepositoryScenario(full, { name, sdlc: AUTO_POLICY });
      await repo.approved(VERSION);
      scenarios.push(repo);
    }
    const dispatches = (): readonly string[] =>
      full.exchanges
        .filter(({ method, path }) => method === 'POST' && path.endsWith('/dispatches'))
        .map(({ path }) => path.split('/').at(-2) ?? '');
    expect(dispatches()).toEqual(['one', 'two', 'three']);
    scenarios[0]?.repository.delete();
    await full.waitUntilIdle();
    await full.resync();
    expect(dispatches()).toEqual(['one', 'two', 'three', 'four']);
  });
});
