import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { BuiltService } from '../contract/built-service.js';
import { givenReleases, OPEN } from '../faults/open-release.js';
import { environmentOf, type Host, startGitHub } from '../faults/start-github.js';
import type { WorkflowRun } from '../github-sim/state/workflow-runs.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { freePort } from '../support/free-port.js';

const ANSWER = /^POST .*\/deployment_protection_rule$/;
const PATIENCE_MS = 120_000;

let [database, host, port]: [TestDatabase | null, Host | null, number] = [null, null, 0];
let service: BuiltService | null = null;
const start = async (): Promise<void> => {
  service = await BuiltService.start({ ...environmentOf(host!, database!, port), PORT: String(port) });
};

beforeAll(() => BuiltService.build(), 120_000);
beforeEach(async () => {
  database = await createTestDatabase();
  port = await freePort();
  host = await startGitHub(port);
  await start();
  await givenReleases(host, `http://127.0.0.1:${port}`, database.superuserUrl);
}, 120_000);
afterEach(async () => {
  await service?.kill();
  await host?.outbox.stop();
  await host?.github.stop();
  await database?.drop();
});

/** Requests a deployment of the head, and kills the process when its answer arrives at GitHub. */
async function killedAtTheAnswer({ takesEffect }: { readonly takesEffect: boolean }): Promise<WorkflowRun> {
  const { repository, github, app } = host!;
  repository.environments.create('production').enable(app);
  const killed = new Promise<void>((resolve) => {
    github.faults.next({
      kind: 'drop',
      afterWork: takesEffect,
      match: ({ method, url }) => {
        const isAnswer = ANSWER.test(`${method} ${url}`);
        if (isAnswer) void service?.kill().then(resolve);
        return isAnswer;
      },
    });
  });
  const sha = repository.git.branchHead(repository.defaultBranch) ?? '';
  const run = repository.workflowRuns.create({ sha, jobs: ['deploy'] });
  run.holds.request('deploy', 'production');
  await killed;
  return run;
}

async function until<T>(read: () => Promise<T>, isMet: (value: T) => boolean): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const value = await read();
    if (isMet(value) || Date.now() > deadline) return value;
    await sleep(100);
  }
}

const readStates = (): Promise<readonly string[]> =>
  withDedicatedClient(database!.superuserUrl, async (client) => {
    const { rows } = await client.query<{ readonly state: string }>('select state from deployment_hold');
    return rows.map(({ state }) => state);
  });
/** The decisions and reports that GitHub has, oldest first. */
const reviewsOf = (run: WorkflowRun): readonly string[] => run.holds.reviews.map(({ state }) => state).toReversed();

it.each([
  ['after the decision and before GitHub has it', false, []],
  ['after GitHub took the answer and before its record', true, ['approved']],
] as const)(
  'a process that is killed %s leads to one answer',
  async (_, takesEffect, known) => {
    const run = await killedAtTheAnswer({ takesEffect });
    expect([reviewsOf(run), await readStates()]).toEqual([known, ['waiting']]);
    await start();
    const states = await until(readStates, ([state]) => state !== 'waiting');
    expect([reviewsOf(run), states]).toEqual([['approved'], ['approved']]);
  },
  240_000,
);

it('a process that is killed before GitHub has its approval approves nothing that is closed meanwhile', async () => {
  const run = await killedAtTheAnswer({ takesEffect: false });
  // An open issue closes the gate. Its delivery does not arrive.
  const { milestones, issues } = host!.repository;
  issues.create({ title: 'Rounding', milestone: milestones.findByTitle(OPEN) });
  await start();
  const reviews = await until(
    () => Promise.resolve(reviewsOf(run)),
    ({ length }) => length > 0,
  );
  expect([reviews, await readStates()]).toEqual([['pending'], ['waiting']]);
}, 240_000);
