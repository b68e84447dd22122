import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { replayStoredDecisions } from '../support/stored-decisions.js';
import { TestEnvironment } from '../support/test-environment.js';
import { signIn, type UserSession } from '../support/user-session.js';
import { codesOf, RepositoryScenario } from './scenarios/repository-scenario.js';

const SDLC = `version: v1
quality_gates: { coverage: { min_line_percent: 80 } }
`;

let env: TestEnvironment;
let repo: RepositoryScenario;
let mia: UserSession;

beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off' });
  await env.install();
  repo = new RepositoryScenario(env, { name: 'sharded', private: false, sdlc: SDLC });
  mia = await signIn(env, env.github.createUser({ login: 'mia' }));
  await env.waitUntilIdle();
});
afterAll(() => env.stop());

/** A file of 20 lines, of which the named ones are hit. */
const lcov = (from: number, to: number, file = 'src/pay.ts'): object => ({
  filename: 'lcov.info',
  content: `SF:${file}\n${Array.from({ length: 20 }, (_, at) => `DA:${at + 1},${at >= from && at < to ? 1 : 0}`).join('\n')}\nend_of_record\n`,
});

/** Uploads tests and the reports of one job each, in one run.  */
async function upload(version: string, ...shards: readonly object[]): Promise<void> {
  repo.milestone(version);
  const sha = repo.commit();
  await env.waitUntilIdle();
  const run = repo.run(sha);
  await run.uploadTests(version);
  for (const [index, shard] of shards.entries()) {
    const { status } = await run.upload(version, { files: [shard], job: `test (${index + 1})` });
    expect(status).toBe(201);
  }
}

const coverageOf = async (version: string): Promise<unknown> => {
  const { body } = await mia.get(`/api/quality?milestone=${version}`);
  const [group] = body['results'] as readonly {
    scorecard: { categories: readonly { name: string; detail: string }[] };
  }[];
  return group?.scorecard.categories.find(({ name }) => name === 'coverage')?.detail;
};

describe('the coverage of several jobs of one run', () => {
  it('counts each file once, with the hits of all jobs', async () => {
    await upload('v1.0.0', lcov(0, 10), lcov(10, 20));
    await env.waitUntilIdle();
    const gate = await repo.gate('v1.0.0');
    expect(gate).toMatchObject({ tests_passing: true, current_stage: 'EVIDENCING' });
    expect(await coverageOf('v1.0.0')).toBe('100 % of the lines are covered.');
    expect(repo.evidenceFile('v1.0.0', 'EVIDENCE.md')).toContain('100 %');
  });

  it('is added up for different files', async () => {
    await upload('v1.1.0', lcov(0, 20), lcov(0, 0, 'src/other.ts'));
    await env.waitUntilIdle();
    const gate = await repo.gate('v1.1.0');
    expect([gate.tests_passing, codesOf(gate)]).toEqual([false, expect.arrayContaining(['quality_gate_failing'])]);
    expect(gate.reasons?.map(({ detail }) => detail)).toContain('Line coverage of "build" (ci) is 50 %, below 80 %.');
    expect(await coverageOf('v1.1.0')).toBe('50 % of the lines are covered.');
  });

  it('adds the upload of a later job to those that were united before', async () => {
    await upload('v1.2.0', lcov(0, 8), lcov(8, 14));
    await env.waitUntilIdle();
    expect(await coverageOf('v1.2.0')).toBe('70 % of the lines are covered.');
    const [row] = await env.asSuperuser<{ readonly run: string }>(
      `select e.run_id as run from evidence e join release r on r.id = e.release_id where r.version = 'v1.2.0' limit 1`,
    );
    const later = repo.run(repo.head(), { runId: Number(row?.run) });
    await later.upload('v1.2.0', { files: [lcov(14, 20)], job: 'test (3)' });
    await env.waitUntilIdle();
    expect(await coverageOf('v1.2.0')).toBe('100 % of the lines are covered.');
    expect(await repo.gate('v1.2.0')).toMatchObject({ tests_passing: true });
    const stored = await env.asSuperuser<{ readonly uploads: number }>(
      `select cardinality(c.evidence_ids) as uploads from run_coverage c join release r on r.id = c.release_id
       where r.version = 'v1.2.0'`,
    );
    expect(stored).toEqual([{ uploads: 3 }]);
  });

  it('counts as little as is certain while it is not united', async () => {
    await upload('v1.3.0', lcov(0, 20), lcov(0, 20));
    const [row] = await env.asSuperuser<{ readonly details: readonly string[] }>(
      `select array(select jsonb_path_query(d.verdict, '$.unmet[*].detail')::text) as details
       from decision d join release r on r.id = d.release_id where r.version = 'v1.3.0' order by d.sequence desc limit 1`,
    );
    expect(row?.details.join()).toContain('is 50 %, below 80 %');
    await env.waitUntilIdle();
    expect(await repo.gate('v1.3.0')).toMatchObject({ tests_passing: true });
  });

  it('is replayed from the stored decisions', async () => {
    const { count, differing } = await replayStoredDecisions(env);
    expect(count).toBeGreaterThan(4);
    expect(differing).toEqual([]);
  });
});
