import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ActionOutcome, type Name, runActionIn, type Texts } from '../client/action-process.js';
import { RepositoryScenario } from '../e2e/scenarios/repository-scenario.js';
import { junit } from '../support/ci-run-client.js';
import { TestEnvironment } from '../support/test-environment.js';
import { identityService, type TestServer } from './runner-services.js';
import { Runner } from './step-run.js';
import {
  CI_ACTION,
  documentOf,
  publishedWorkflows,
  type StatedStep,
  type WorkflowDocument,
} from './workflow-document.js';

const FIXTURES = 'test/fixtures/published-workflows';
const SECRET = 'the token of the job';

interface Revision {
  readonly name: string;
  readonly documents: readonly WorkflowDocument[];
}

const revisions: readonly Revision[] = readdirSync(FIXTURES)
  .filter((name) => /^[0-9a-f]{16}$/.test(name))
  .map((name) => ({
    name,
    documents: readdirSync(path.join(FIXTURES, name)).map((file) =>
      documentOf(`.github/workflows/${file}`, readFileSync(path.join(FIXTURES, name, file), 'utf8')),
    ),
  }));

/** The last step of a job, which calls Shipgate. */
function callOf({ documents }: Revision, file: 'ci' | 'enforce', job: string): StatedStep {
  const step = documents
    .find((document) => document.path.endsWith(`shipgate-${file}.yml`))
    ?.stated.jobs[job]?.steps.at(-1);
  if (step === undefined) throw new Error(`shipgate-${file}.yml has no job ${job}`);
  return step;
}

const usesActions = (revision: Revision): boolean => callOf(revision, 'enforce', 'gate').uses !== undefined;
const withActions = revisions.filter(usesActions);
const withShell = revisions.filter((revision) => !usesActions(revision));

it.each<[string, Texts]>([
  ['with shell scripts', {}],
  ['with the actions', { CI_ACTION }],
])(
  'the present workflow files %s are among the published ones: `npm run generate -- workflows` adds them',
  (_, variables) => {
    const present = publishedWorkflows(variables).map(({ text }) => text);
    expect(revisions.map(({ documents }) => documents.map(({ text }) => text))).toContainEqual(present);
  },
);

describe('a published revision', () => {
  let env: TestEnvironment;
  let scenario: RepositoryScenario;
  let identities: TestServer;
  let candidate: string;
  let folder: string;
  let runner: Runner;

  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
    scenario = new RepositoryScenario(env, { name: 'payments' });
    candidate = await scenario.approved('v1.0.0');
    await scenario.evidencing('v2.0.0');
    scenario.milestone('v3.0.0');
    await env.waitUntilIdle();
    let runId = 100;
    identities = await identityService(SECRET, () => scenario.run(scenario.head(), { runId: (runId += 1) }).token());
  }, 240_000);
  afterAll(async () => {
    await identities.stop();
    await env.stop();
  });
  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'shipgate-published-'));
    runner = await Runner.create();
  });
  afterEach(async () => {
    await runner.remove();
    rmSync(folder, { recursive: true });
  });

  const identity = (): Texts => ({
    GITHUB_REPOSITORY: 'acme/payments',
    ACTIONS_ID_TOKEN_REQUEST_URL: `${identities.url}/token?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: SECRET,
  });
  const storedOf = async (version: string): Promise<number> => {
    const [row] = await env.asSuperuser<{ count: number }>(
      `select count(*)::integer as count from evidence e join release r on r.id = e.release_id where r.version = '${version}'`,
    );
    return row?.count ?? 0;
  };

  describe.each(withShell)('with shell scripts, $name,', (revision) => {
    /** Runs the last step of a job, because revisions have different names for it. */
    const run = (workflow: 'ci' | 'enforce', job: string, variables: Texts = {}) =>
      runner.run(
        { workflow, job, step: callOf(revision, workflow, job).name ?? '' },
        { SHIPGATE_URL: env.baseUrl, SHIPGATE_AUDIENCE: 'shipgate', ...identity(), ...variables },
        revision.documents,
      );
    const gate = (variables: Texts) => run('enforce', 'gate', variables);

    it('passes at an open gate, and fails at a closed one and at another commit', async () => {
      expect(await gate({ VERSION: 'v1.0.0', COMMIT: candidate })).toMatchObject({ code: 0 });
      expect(await gate({ VERSION: 'v2.0.0', COMMIT: candidate })).toMatchObject({ code: 1 });
      expect(await gate({ VERSION: 'v1.0.0', COMMIT: 'f'.repeat(40) })).toMatchObject({ code: 1 });
    });

    it('checks sdlc.yaml', async () => {
      expect(await run('enforce', 'rules')).toMatchObject({ code: 0 });
    });

    it('uploads evidence', async () => {
      const before = await storedOf('v3.0.0');
      mkdirSync(path.join(runner.temp, 'shipgate-reports'));
      writeFileSync(path.join(runner.temp, 'shipgate-reports/junit.xml'), junit(3, 0));
      const variables = { VERSION: 'v3.0.0', GITHUB_SERVER_URL: 'https://github.com', GITHUB_RUN_ID: '77' };
      expect(await run('ci', 'evidence', variables)).toMatchObject({ code: 0 });
      expect(await storedOf('v3.0.0')).toBe(before + 1);
    });
  });

  describe.each(withActions)('with the actions, $name,', (revision) => {
    /** Runs the action of a step with the inputs that the expressions of the file give. */
    const run = (name: Name, step: StatedStep, context: Texts): Promise<ActionOutcome> => {
      expect(step.uses).toMatch(new RegExp(`^acme/shipgate/action/${name}@[0-9a-f]{40}$`));
      const inputs = Object.entries(step.with ?? {}).map(([input, value]) => [
        input,
        String(value)
          .replace('https://shipgate.example', env.baseUrl)
          .replaceAll(/\$\{\{(.*?)\}\}/gs, (_, expression: string) => {
            const found = context[expression.trim().replaceAll(/\s+/g, ' ')];
            if (found === undefined) throw new Error(`no value for ${expression}`);
            return found;
          }),
      ]);
      return runActionIn(
        folder,
        name,
        Object.fromEntries(inputs) as Texts,
        { ...identity(), GITHUB_SHA: candidate },
        context,
      );
    };

    it('passes at an open gate, and fails at a closed one, at another commit and without a version', async () => {
      const gate = (version: string, sha: string): Promise<ActionOutcome> =>
        run('gate', callOf(revision, 'enforce', 'gate'), {
          'inputs.version': version,
          'inputs.sha || github.sha': sha,
        });
      expect(await gate('v1.0.0', candidate)).toMatchObject({ code: 0, outputs: { outcome: 'open' } });
      expect(await gate('v2.0.0', candidate)).toMatchObject({ code: 1, outputs: { outcome: 'closed' } });
      expect(await gate('v1.0.0', 'f'.repeat(40))).toMatchObject({ code: 1 });
      expect(await gate('', candidate)).toMatchObject({ code: 2 });
    });

    it('uploads evidence byte for byte', async () => {
      const before = await storedOf('v3.0.0');
      const report = junit(4, 0).replace('name="s"', 'name="é 漢 \u{1F600} $HOME"');
      mkdirSync(path.join(folder, 'temp/shipgate-reports/a b'), { recursive: true });
      writeFileSync(path.join(folder, 'temp/shipgate-reports/a b/junit.xml'), report);
      const release =
        "inputs.version || (github.ref_name == (vars.SHIPGATE_BRANCH || github.event.repository.default_branch) && vars.SHIPGATE_VERSION) || 'auto'";
      const outcome = await run('upload', callOf(revision, 'ci', 'evidence'), {
        [release]: 'v3.0.0',
        'runner.temp': path.join(folder, 'temp'),
      });
      expect(outcome).toMatchObject({ code: 0, outputs: { files: '1', repeated: 'false' } });
      expect(await storedOf('v3.0.0')).toBe(before + 1);
      const reports = await env.asSuperuser<{ name: string; bytes: Buffer; pipeline: string }>(
        `select r.name, c.bytes, e.pipeline from evidence_report r join evidence e on e.id = r.evidence_id
         join report_content c on c.org_id = r.org_id and c.sha256 = r.sha256
         where r.evidence_id = '${outcome.outputs['evidence-id']}'`,
      );
      expect(reports).toEqual([{ name: 'a b/junit.xml', bytes: Buffer.from(report), pipeline: 'Shipgate CI' }]);
    });
  });
});
