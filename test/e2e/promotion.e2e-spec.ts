import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { NOTE_KEPT_PROMOTIONS } from '../../migrations/1790702000100-promote-once.js';
import { JobWorker } from '../../src/jobs/worker/job-worker.js';
import { signIn } from '../support/signed-in.js';
import { TestEnvironment } from '../support/world.js';
import { CHANGED, ENFORCE, InstalledScene } from './scene/installed-scene.js';
import { auditOf } from './scene/members.js';
import { OverrideScene } from './scene/override-scene.js';
import { codesOf, PLAIN_POLICY, RepositoryScene } from './scene/repository-scene.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const VERSION = 'v1.0.0';
const AUTO_POLICY = `${PLAIN_POLICY}  deployment: { promotion: auto }\n`;

let world: TestEnvironment;
beforeAll(async () => {
  world = await TestEnvironment.start({ BILLING: 'off' });
  await world.install();
});
afterAll(() => world.stop());
afterEach(() => {
  world.github.faults.clear();
  expect(world.violations).toEqual([]);
});

const scene = (name: string, sdlc = AUTO_POLICY): RepositoryScene => new RepositoryScene(world, { name, sdlc });
const day = (days: number): string => new Date(world.clock.now().getTime() + days * DAY_MS).toISOString().slice(0, 10);
const frozenBy = (policy: string, from: string, to = from): string =>
  `${policy}freezes: [{ from: ${from}, to: ${to}, reason: audit }]\n`;

/** The commits whose dispatch GitHub was asked to take, and what it answered. */
const asked = ({ repository }: RepositoryScene): readonly (readonly [unknown, number])[] =>
  world.exchanges
    .filter(({ method, path }) => method === 'POST' && path.endsWith(`/repos/${repository.fullName}/dispatches`))
    .map(({ requestBody, status }) => {
      const { event_type: type, client_payload: payload } = requestBody as Record<string, Record<string, unknown>>;
      expect([type, payload?.['version']]).toEqual(['shipgate-deploy', VERSION]);
      return [payload?.['commit'], status] as const;
    });
const sent = (repo: RepositoryScene): readonly unknown[] =>
  asked(repo).flatMap(([commit, status]) => (status === 204 ? [commit] : []));

/** Everything happens that may follow by itself: jobs that wait for their time, and the sync. */
async function allFollows(): Promise<void> {
  await world.hurry();
  await world.resync();
  await world.hurry();
}

describe('the dispatch of a promotion that is automatic', () => {
  it('is sent when a freeze ends, although nobody does anything', async () => {
    const repo = scene('freeze-ends', frozenBy(AUTO_POLICY, day(0)));
    const sha = await repo.approved(VERSION);
    expect(codesOf(await repo.gate(VERSION))).toEqual(['freeze']);
    await world.hurry();
    expect(asked(repo)).toEqual([]);
    world.clock.advance(DAY_MS);
    await world.hurry();
    expect(sent(repo)).toEqual([sha]);
    await allFollows();
    expect(sent(repo)).toEqual([sha]);
  });

  it('waits for a job that the end of the freeze is the time of, and that outlives the process', async () => {
    const repo = scene('freeze-scheduled', frozenBy(AUTO_POLICY, day(0), day(2)));
    await repo.approved(VERSION);
    const [job] = await world.asSuperuser<{ hours: number }>(
      `select extract(epoch from run_at - now()) / 3600 as hours from graphile_worker._private_jobs job
       join graphile_worker._private_tasks task on task.id = job.task_id where task.identifier = 'dispatch-deployment'
         and job.payload ->> 'releaseId' = (select r.id::text from release r join repository p on p.id = r.repository_id
           where p.github_id = ${repo.repository.id})`,
    );
    const left = (Date.parse(day(3)) - world.clock.now().getTime()) / HOUR_MS;
    expect(Math.abs(Number(job?.hours) - left)).toBeLessThan(0.5);
  });

  it('is sent when a freeze of the workspace is lifted', async () => {
    const repo = scene('freeze-lifted');
    const ada = await signIn(world, world.github.createUser({ login: 'ada' }), { role: 'admin' });
    const { body } = await ada.send('POST', '/api/freezes', { from: day(0), to: day(9), reason: 'launch' });
    const sha = await repo.approved(VERSION);
    await world.hurry();
    expect(asked(repo)).toEqual([]);
    await ada.send('DELETE', `/api/freezes/${String(body['id'])}`);
    await world.settle();
    expect(sent(repo)).toEqual([sha]);
  });

  it('is sent when a waiver sets the freeze aside', async () => {
    const repo = new OverrideScene(world, VERSION, { name: 'waived', sdlc: frozenBy(AUTO_POLICY, day(0), day(9)) });
    const [bob, cy] = [await repo.admin('bob'), await repo.admin('cy')];
    const sha = await repo.approved(VERSION);
    expect(asked(repo)).toEqual([]);
    await repo.confirm(cy, 'waivers', await repo.askForWaiver(bob, { condition: 'freeze' }));
    await world.settle();
    expect(sent(repo)).toEqual([sha]);
  });

  it('is sent when a file that was tampered with is restored', async () => {
    const repo = await InstalledScene.install(world, { name: 'restored', sdlc: AUTO_POLICY });
    await repo.evidencing(VERSION);
    await repo.push({ [ENFORCE]: CHANGED });
    repo.approve(VERSION);
    await world.settle();
    expect(await repo.gate(VERSION)).toMatchObject({ current_stage: 'DEPLOYMENT', can_deploy: false });
    expect(asked(repo)).toEqual([]);
    await repo.restore();
    await allFollows();
    expect(sent(repo)).toHaveLength(1);
  });

  it('is sent after GitHub was away when the gate would have opened', async () => {
    const repo = scene('outage');
    const sha = await repo.evidencing(VERSION);
    world.github.faults.next({ kind: '5xx', status: 503, times: Number.POSITIVE_INFINITY });
    repo.approve(VERSION);
    await world.settle();
    world.clock.advance(HOUR_MS);
    await world.settle();
    expect(sent(repo)).toEqual([]);
    world.github.faults.clear();
    world.clock.advance(HOUR_MS);
    await allFollows();
    expect(sent(repo)).toEqual([sha]);
  });

  it('is sent after GitHub was away when it was to be sent, and all that it needed was known', async () => {
    const repo = scene('away-at-last');
    const sha = await repo.evidencing(VERSION);
    await world.app.get(JobWorker).stop();
    repo.approve(VERSION);
    await world.outbox.settled();
    const reads = /GET .*(reviews|pulls)/;
    world.github.faults.next({
      kind: '5xx',
      match: ({ method, url }) => !reads.test(`${method} ${url}`),
      times: Number.POSITIVE_INFINITY,
    });
    await world.app.get(JobWorker).start();
    await world.settle();
    expect(sent(repo)).toEqual([]);
    world.github.faults.clear();
    world.clock.advance(HOUR_MS);
    await allFollows();
    expect(sent(repo)).toEqual([sha]);
  });

  it.each([
    { refusal: 'for its rate limit', fault: { kind: 'secondary-limit', retryAfterS: 60 } },
    { refusal: 'before the work, for too many calls', fault: { kind: 'primary-limit' } },
  ] as const)('is sent again where GitHub refused it $refusal', async ({ fault }) => {
    const repo = scene(`refused-${fault.kind}`);
    const sha = await repo.evidencing(VERSION);
    world.github.faults.next({ ...fault, match: /POST .*\/dispatches/ });
    repo.approve(VERSION);
    await world.settle();
    expect(sent(repo)).toEqual([]);
    world.clock.advance(2 * HOUR_MS);
    await allFollows();
    expect(sent(repo)).toEqual([sha]);
  });

  it.each([
    ['broke off the connection', { kind: 'drop', afterWork: true }, 1],
    ['failed after its work', { kind: '5xx', afterWork: true }, 1],
    // The simulated GitHub notes no exchange for what it did not look at.
    ['failed before its work, which nobody can tell', { kind: '5xx' }, 0],
  ] as const)('is not sent a second time where GitHub %s, and admins are told', async (name, fault, noted) => {
    const repo = scene(`unknown-${name.length}`);
    await repo.evidencing(VERSION);
    world.github.faults.next({ ...fault, match: /POST .*\/dispatches/ });
    repo.approve(VERSION);
    await world.settle();
    world.clock.advance(2 * HOUR_MS);
    await allFollows();
    expect(await repo.gate(VERSION)).toMatchObject({ can_deploy: true });
    await allFollows();
    expect(asked(repo)).toHaveLength(noted);
    expect((await auditOf(world, await world.orgId())).at(-1)).toBe(`promotion.unknown ${VERSION}`);
    expect(world.lines.filter((line) => line.includes('It is not sent again'))).not.toEqual([]);
  });

  it('is sent once, however often the gate closes and opens', async () => {
    const repo = scene('again-and-again');
    const sha = await repo.approved(VERSION);
    for (const state of ['CHANGES_REQUESTED', 'APPROVED', 'CHANGES_REQUESTED', 'APPROVED'] as const) {
      repo.repository.pulls.reviews.submit(repo.evidencePull(VERSION), { by: repo.reviewer, state, body: 'So.' });
      await world.settle();
    }
    expect(await repo.gate(VERSION)).toMatchObject({ can_deploy: true });
    await allFollows();
    expect(sent(repo)).toEqual([sha]);
  });

  it('is sent once for a candidate, also where a commit of evidence alone follows, and again for the next one', async () => {
    const repo = scene('next-candidate');
    const first = await repo.approved(VERSION);
    repo.repository.commit({ files: { '.releases/notes.md': 'kept with the evidence' } });
    await allFollows();
    expect(sent(repo)).toEqual([first]);
    const second = repo.commit();
    await world.settle();
    await repo.test(VERSION, second);
    expect(sent(repo)).toEqual([first]);
    repo.approve(VERSION);
    await world.settle();
    expect(sent(repo)).toEqual([first, second]);
  });

  it('is sent once where two jobs are about it at once', async () => {
    const repo = scene('two-at-once');
    const sha = await repo.evidencing(VERSION);
    await world.app.get(JobWorker).stop();
    repo.approve(VERSION);
    await world.outbox.settled();
    await world.asSuperuser(`
      select graphile_worker.add_job('dispatch-deployment', json_build_object('orgId', r.org_id, 'releaseId', r.id),
        run_at => now() + interval '2 s') from release r join repository p on p.id = r.repository_id
        cross join generate_series(1, 4) where p.github_id = ${repo.repository.id}`);
    await world.app.get(JobWorker).start();
    await allFollows();
    expect(sent(repo)).toEqual([sha]);
  });

  it('is not sent by a job that comes too early, for a release that is cancelled, or by a policy that leaves it to people', async () => {
    const [early, cancelled, manual] = [scene('early'), scene('cancelled'), scene('manual', PLAIN_POLICY)];
    await early.evidencing(VERSION);
    await cancelled.evidencing(VERSION);
    const [milestone] = cancelled.repository.milestones.list();
    if (milestone) cancelled.repository.milestones.close(milestone);
    cancelled.approve(VERSION);
    await manual.approved(VERSION);
    await world.asSuperuser(`
      select graphile_worker.add_job('dispatch-deployment', json_build_object('orgId', r.org_id, 'releaseId', r.id))
      from release r join repository p on p.id = r.repository_id where p.name in ('early', 'cancelled', 'manual')`);
    await allFollows();
    expect([asked(early), asked(cancelled), asked(manual)]).toEqual([[], [], []]);

    // Its gate opened first while people deployed by hand: a change of the policy deploys nothing.
    manual.repository.commit({ files: { 'sdlc.yaml': AUTO_POLICY } });
    await allFollows();
    expect(await manual.gate(VERSION)).toMatchObject({ can_deploy: true });
    expect(asked(manual)).toEqual([]);
  });

  it('is not sent where a fact has turned that no delivery told of', async () => {
    const repo = scene('turned');
    await repo.evidencing(VERSION);
    await world.app.get(JobWorker).stop();
    repo.approve(VERSION);
    await world.outbox.settled();
    await world.asSuperuser(`
      create function late() returns trigger language plpgsql as $$
        begin new.run_at = now() + interval '1 hour'; return new; end $$;
      create trigger late before insert or update on graphile_worker._private_jobs
        for each row when (new.key like 'dispatch:%') execute function late()`);
    await world.app.get(JobWorker).start();
    await world.settle();
    expect(await repo.gate(VERSION)).toMatchObject({ can_deploy: true });
    world.outbox.faults.next({ kind: 'lose', event: 'pull_request_review' });
    const pull = repo.evidencePull(VERSION);
    repo.repository.pulls.reviews.submit(pull, { by: repo.reviewer, state: 'CHANGES_REQUESTED', body: 'No.' });
    await world.asSuperuser('drop function late() cascade');
    await world.hurry();
    expect(asked(repo)).toEqual([]);
    repo.approve(VERSION);
    await world.settle();
    expect(sent(repo)).toHaveLength(1);
  });

  it('is not sent again where a process ended between the note and the answer, and admins are told', async () => {
    const repo = scene('broken-off');
    const sha = await repo.approved(VERSION);
    expect(sent(repo)).toEqual([sha]);
    const orgId = await world.orgId();
    expect((await auditOf(world, orgId)).at(-1)).toBe(`promotion.sent ${VERSION}`);
    await world.asSuperuser(`update promotion set outcome = null where candidate_sha = '${sha}'`);
    await world.asSuperuser(`
      select graphile_worker.add_job('dispatch-deployment', json_build_object('orgId', r.org_id, 'releaseId', r.id))
      from release r join repository p on p.id = r.repository_id where p.github_id = ${repo.repository.id}`);
    await allFollows();
    expect(sent(repo)).toEqual([sha]);
    expect((await auditOf(world, orgId)).at(-1)).toBe(`promotion.unknown ${VERSION}`);
  });

  it('is not sent again for what an earlier version sent, which noted nothing', async () => {
    const repo = scene('of-an-earlier-version');
    const sha = await repo.approved(VERSION);
    await world.asSuperuser(`truncate promotion; ${NOTE_KEPT_PROMOTIONS}`);
    await allFollows();
    expect(await repo.gate(VERSION)).toMatchObject({ can_deploy: true });
    await world.settle();
    expect(sent(repo)).toEqual([sha]);
  });
});

describe('a candidate of a workspace without room', () => {
  let full: TestEnvironment;
  beforeAll(async () => {
    full = await TestEnvironment.start();
    await full.install();
  });
  afterAll(() => full.stop());

  it('is promoted when its plan gets room', async () => {
    const scenes: RepositoryScene[] = [];
    for (const name of ['one', 'two', 'three', 'four']) {
      const repo = new RepositoryScene(full, { name, sdlc: AUTO_POLICY });
      await repo.approved(VERSION);
      scenes.push(repo);
    }
    const dispatches = (): readonly string[] =>
      full.exchanges
        .filter(({ method, path }) => method === 'POST' && path.endsWith('/dispatches'))
        .map(({ path }) => path.split('/').at(-2) ?? '');
    expect(dispatches()).toEqual(['one', 'two', 'three']);
    scenes[0]?.repository.delete();
    await full.settle();
    await full.resync();
    expect(dispatches()).toEqual(['one', 'two', 'three', 'four']);
  });
});
