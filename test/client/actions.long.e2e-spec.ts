import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { NoOperationTraceWriter } from '@actions/workflow-parser';
import { parseAction } from '@actions/workflow-parser/actions/action-parser';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RepositoryScenario } from '../e2e/scenarios/repository-scenario.js';
import { junit } from '../support/ci-run-client.js';
import { outsideCode } from '../support/rendered-markdown.js';
import { TestEnvironment } from '../support/test-environment.js';
import { identityService, TestServer } from '../workflows/runner-services.js';
import { actionFile, type ActionOutcome, type Name, runActionIn, textOf, type Texts } from './action-process.js';
import { createMarkedKey } from './marked-key.js';

const SECRET = 'the secret of the job';
const VERSION = 'v1.4.0';
const MEGABYTE = 1_048_576;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'shipgate-action-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, content: string): string => {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
};

/** Runs an action in the folder of this test. */
const runAction = (name: Name, inputs: Texts, variables: Texts, context: Texts = {}): Promise<ActionOutcome> =>
  runActionIn(folder, name, inputs, variables, context);

const errorsOf = ({ commands }: ActionOutcome): readonly string[] =>
  commands.filter(({ name }) => name === 'error').map(({ message }) => message);

describe('the actions', () => {
  let env: TestEnvironment;
  let scenario: RepositoryScenario;
  let identities: TestServer;
  let sha: string;
  let candidate: string;
  let issued: string[];

  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
    scenario = new RepositoryScenario(env, { name: 'payments' });
    candidate = await scenario.approved('v1.0.0');
    await scenario.evidencing('v2.0.0');
    scenario.milestone(VERSION);
    sha = scenario.commit();
    await env.waitUntilIdle();
  }, 240_000);
  afterAll(() => env.stop());
  beforeEach(async () => {
    issued = [];
    const run = scenario.run(sha);
    identities = await identityService(SECRET, async () => {
      const token = await run.token();
      issued.push(token);
      return token;
    });
  });
  afterEach(() => identities.stop());

  const identity = (): Texts => ({
    ACTIONS_ID_TOKEN_REQUEST_URL: `${identities.url}/token?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: SECRET,
  });
  const upload = (inputs: Texts, given: Texts = identity(), context: Texts = {}): Promise<ActionOutcome> =>
    runAction('upload', { url: env.baseUrl, release: VERSION, ...inputs }, { GITHUB_SHA: sha, ...given }, context);
  const gate = (inputs: Texts, given: Texts = identity()): Promise<ActionOutcome> =>
    runAction('gate', { url: env.baseUrl, ...inputs }, given, { 'github.sha': candidate });
  const forkPullRequest = (): Texts => ({
    GITHUB_EVENT_NAME: 'pull_request',
    GITHUB_EVENT_PATH: write(
      '.runner/event.json',
      JSON.stringify({
        pull_request: { head: { repo: { full_name: 'eve/payments' } }, base: { repo: { full_name: 'acme/payments' } } },
      }),
    ),
  });

  it('upload the files of several lines of patterns, and output the evidence that was found', async () => {
    write('out/junit.xml', junit(3, 0));
    write('out/other.xml', 'no report');
    write('coverage/lcov.info', 'TN:\nSF:a.ts\nDA:1,1\nLF:1\nLH:1\nend_of_record\n');
    const files = 'out/*.xml\n!out/other.xml\n  \n  coverage\n';
    const outcome = await upload({ files, environment: 'staging' });
    expect(outcome).toMatchObject({
      code: 0,
      commands: [],
      outputs: {
        'evidence-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
        repeated: 'false',
        files: '2',
        skipped: 'false',
        effect: 'decides',
        'commit-sha': sha,
        'candidate-sha': sha,
        'release-url': expect.stringContaining(`${env.baseUrl}/w/acme/releases/`),
      },
    });
    expect(outcome.summary).toContain('it counts at the candidate.');
    expect(outcome.log).toContain(`Stored: ${outcome.outputs['evidence-id']}, 2 files for ${VERSION}`);
    const again = await upload({ files, environment: 'staging' });
    expect(again).toMatchObject({ code: 0, outputs: { ...outcome.outputs, repeated: 'true' } });
  });

  it('warn about an upload that does not decide, and fail if it must', async () => {
    write('junit.xml', junit(8, 0));
    const other = scenario.commit({ branch: 'side' });
    const inputs = { files: 'junit.xml', 'api-key': await env.key() };
    const given = { GITHUB_SHA: other };
    const message: unknown = expect.stringContaining('; it does not count: ');
    const warned = await upload(inputs, given);
    expect(warned).toMatchObject({
      code: 0,
      commands: [{ name: 'warning', message }],
      outputs: { effect: 'not_the_candidate', 'commit-sha': other },
    });
    expect(warned.summary).toContain('; it does not count: ');
    const failed = await upload({ ...inputs, 'require-effect': 'true' }, given);
    expect(failed).toMatchObject({ code: 1, commands: [{ name: 'error', message }], outputs: { repeated: 'true' } });
  });

  it('upload the files of another folder under their names there', async () => {
    write('reports/out/junit.xml', junit(7, 0));
    write('other/junit.xml', 'not a report');
    const outcome = await upload({ files: '.', 'working-directory': 'reports' });
    expect(outcome).toMatchObject({ code: 0, outputs: { files: '1' } });
    const id = outcome.outputs['evidence-id'];
    expect(await env.asSuperuser(`select name from evidence_report where evidence_id = '${id}'`)).toEqual([
      { name: 'out/junit.xml' },
    ]);
    const absolute = await upload({ files: '.', 'working-directory': path.join(folder, 'reports') });
    expect(absolute).toMatchObject({ code: 0, outputs: { repeated: 'true' } });
    expect(await upload({ files: '.', 'working-directory': 'none' })).toMatchObject({ code: 2 });
  });

  it('upload for an API key with the job and the size of its matrix', async () => {
    write('junit.xml', junit(4, 0));
    const key = await env.key();
    const outcome = await upload(
      { files: 'junit.xml', 'api-key': key, environment: 'matrix' },
      {},
      { 'toJSON(matrix)': '{"node":22,"os":{"name":"ubuntu","arm":true},"skip":null}', 'strategy.job-total': '2' },
    );
    expect(outcome.code).toBe(0);
    expect(
      await env.asSuperuser(
        `select stated_job, job_group, job_total from evidence where id = '${outcome.outputs['evidence-id']}'`,
      ),
    ).toEqual([{ stated_job: 'test (22, ubuntu, true)', job_group: 'test', job_total: 2 }]);
    expect(outcome.masks).toContain(key);
  });

  it('pass if the gate is open, and state the decision', async () => {
    const outcome = await gate({ release: 'v1.0.0' });
    expect(outcome).toMatchObject({
      code: 0,
      commands: [],
      outputs: {
        outcome: 'open',
        stage: 'DEPLOYMENT',
        'candidate-sha': candidate,
        'decision-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
        reasons: '[]',
      },
    });
    expect(outcome.summary).toContain('<h3>v1.0.0 of acme/payments is open (DEPLOYMENT); candidate ');
  });

  it('fail with an error for each reason if the gate is closed', async () => {
    const outcome = await gate({ release: 'v2.0.0', sha: scenario.head() });
    expect(outcome).toMatchObject({ code: 1, outputs: { outcome: 'closed', stage: 'EVIDENCING' } });
    const reasons = JSON.parse(outcome.outputs['reasons'] ?? '') as readonly { detail: string; actor: string }[];
    expect(reasons.length).toBeGreaterThan(0);
    expect(errorsOf(outcome)).toEqual(reasons.map(({ detail }) => detail));
    for (const { detail, actor } of reasons) {
      expect(outcome.summary).toContain(actor);
      expect(outcome.log).toContain(detail);
    }
  });

  it('fail if it is not known whether the gate is open', async () => {
    const outcome = await gate({ release: 'v9.9.9' });
    expect(outcome).toMatchObject({ code: 3, outputs: { outcome: 'unknown', 'decision-id': '', reasons: '[]' } });
    expect(errorsOf(outcome)).toHaveLength(1);
    expect(outcome.summary).toContain(errorsOf(outcome)[0]);
  });

  it('show at most ten errors, and all reasons in the summary', async () => {
    const reasons = Array.from({ length: 12 }, (_, index) => ({
      code: 'check_failing',
      actor: 'ci',
      detail: `no. ${index}`,
    }));
    const server = await TestServer.answering((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ version: 'v1.0.0', can_deploy: false, reasons }));
    });
    try {
      const outcome = await gate({ release: 'v1.0.0', url: server.url });
      expect([outcome.code, errorsOf(outcome).length]).toEqual([1, 10]);
      expect(outcome.summary.match(/<td>no\. /g)).toHaveLength(12);
    } finally {
      await server.stop();
    }
  });

  it('fail if the outputs cannot be written, although the gate is open', async () => {
    const outcome = await gate({ release: 'v1.0.0' }, { ...identity(), GITHUB_OUTPUT: '/nonexistent/output' });
    expect([outcome.code, ...errorsOf(outcome)]).toEqual([3, expect.stringContaining('/nonexistent/output')]);
  });

  it.each<[string, Name, Texts, string]>([
    ['a boolean that is neither true nor false', 'upload', { 'allow-empty': 'yes' }, 'The input allow-empty must be'],
    ['an empty boolean', 'upload', { 'allow-committed': '' }, 'The input allow-committed must be true or false.'],
    ['a file that does not exist', 'upload', { files: 'none.xml' }, 'No file matches none.xml.'],
    ['no files', 'upload', { files: ' \n ' }, 'No file is named.'],
    ['no address', 'upload', { url: '' }, 'The address of Shipgate is missing. Use the input url'],
    ['a matrix that is not JSON', 'upload', { matrix: '{' }, 'The input matrix must be JSON.'],
    ['a wait without a unit', 'gate', { wait: '15' }, 'the input wait must be a duration'],
    ['an empty release', 'gate', { release: '' }, 'The input release is empty. Is a variable in its value not set?'],
    ['a short commit', 'gate', { sha: 'abc1234' }, 'the input sha must be a commit'],
  ])('end with 2 for %s', async (_, name, inputs, sentence) => {
    write('junit.xml', junit(1, 0));
    const outcome = await (name === 'upload'
      ? upload({ files: 'junit.xml', ...inputs })
      : gate({ release: 'v1.0.0', ...inputs }));
    expect([outcome.code, ...errorsOf(outcome)]).toEqual([2, expect.stringContaining(sentence)]);
    if (name === 'upload') expect(outcome.outputs).toMatchObject({ 'evidence-id': '', files: '0', skipped: 'false' });
    else expect(outcome.outputs['outcome']).toBe('unknown');
  });

  it.each<[Name]>([['upload'], ['gate']])('say which permission is missing (%s)', async (name) => {
    write('junit.xml', junit(1, 0));
    const outcome = await (name === 'upload' ? upload({ files: 'junit.xml' }, {}) : gate({ release: 'v1.0.0' }, {}));
    expect([outcome.code, ...errorsOf(outcome)]).toEqual([2, expect.stringContaining('      id-token: write\n')]);
    expect(errorsOf(outcome)[0]).toContain('A job that names one permission loses all that it does not name.');
  });

  it('skip the upload for a pull request of a fork with a notice, and keep the gate closed', async () => {
    write('junit.xml', junit(1, 0));
    const skipped = await upload({ files: 'junit.xml' }, forkPullRequest());
    expect(skipped).toMatchObject({
      code: 0,
      outputs: { skipped: 'true', 'evidence-id': '', files: '0' },
      commands: [{ name: 'notice', message: expect.stringContaining('pull request of a fork') }],
    });
    const failed = await upload({ files: 'junit.xml', 'require-effect': 'true' }, forkPullRequest());
    expect(failed).toMatchObject({ code: 1, outputs: { skipped: 'true' } });
    expect(errorsOf(failed)).toEqual([expect.stringContaining('An effect is required, and there is none.')]);
    const closed = await gate({ release: 'v1.0.0' }, forkPullRequest());
    expect(closed).toMatchObject({ code: 3, outputs: { outcome: 'unknown' } });
    expect(errorsOf(closed)).toEqual([expect.stringContaining('pull request of a fork')]);
  });

  it('say how to name the release by the input only', async () => {
    write('junit.xml', junit(1, 0));
    const skipped = await upload(
      { files: 'junit.xml', release: 'auto' },
      { ...identity(), GITHUB_REF_NAME: 'feature/x' },
    );
    expect([skipped.code, skipped.log]).toEqual([
      0,
      expect.stringContaining('Name the release with the input release.'),
    ]);
    expect(skipped.log).not.toMatch(/SHIPGATE_VERSION|--release/);
  });

  it('get a token after the endpoint failed, and print the cause', async () => {
    let requests = 0;
    const failing = await TestServer.answering(async (request, response) => {
      request.resume();
      requests += 1;
      if (requests === 1) response.writeHead(500).end('no');
      else if (requests === 2) request.socket.destroy();
      else response.writeHead(200).end(JSON.stringify({ value: await scenario.run(candidate).token() }));
    });
    try {
      const outcome = await gate(
        { release: 'v1.0.0' },
        { ...identity(), ACTIONS_ID_TOKEN_REQUEST_URL: `${failing.url}/token?v=2` },
      );
      expect([outcome.code, requests]).toEqual([0, 3]);
      expect(outcome.log).toContain("GitHub's endpoint for identity tokens failed:");
    } finally {
      await failing.stop();
    }
  });

  it('get a token although the endpoint does not answer at first', async () => {
    let requests = 0;
    const silent = await TestServer.answering(async (request, response) => {
      request.resume();
      requests += 1;
      if (requests > 1) response.end(JSON.stringify({ value: await scenario.run(candidate).token() }));
    });
    try {
      const outcome = await gate(
        { release: 'v1.0.0' },
        { ...identity(), ACTIONS_ID_TOKEN_REQUEST_URL: `${silent.url}/token?v=2` },
      );
      expect([outcome.code, requests]).toEqual([0, 2]);
    } finally {
      await silent.stop();
    }
  });

  it('leave no secret in the log, the outputs and the summary', async () => {
    write('junit.xml', junit(5, 0));
    const given = { AWS_SECRET_ACCESS_KEY: 'canary-of-aws', NPM_TOKEN: 'canary-of-npm' };
    const key = createMarkedKey('sgk');
    const outcomes = [
      await upload({ files: 'junit.xml' }, { ...identity(), ...given }),
      await gate({ release: 'v1.0.0' }, { ...identity(), ...given }),
      await gate({ release: 'v1.0.0', 'api-key': key }, given),
      await upload({ files: 'junit.xml' }, { ...given, SHIPGATE_API_KEY: key }),
    ];
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 3, 3]);
    expect(issued.length).toBeGreaterThanOrEqual(2);
    for (const { log, unprotected, outputs, summary, masks } of outcomes) {
      expect(unprotected).toEqual([]);
      const written = [log, JSON.stringify(outputs), summary].join('\n');
      for (const secret of ['canary', SECRET, ...issued]) expect(written).not.toContain(secret);
      expect(masks.length).toBeGreaterThan(0);
      for (const mask of masks) expect([key, ...issued]).toContain(mask);
    }
  });

  it('execute nothing that the answer of a service contains', async () => {
    const detail = [
      'a | b <img src=x onerror=alert(1)> **bold** [link](https://evil.example)',
      '::error::forged',
      '::set-output name=outcome::open',
      '::add-mask::a',
      'outcome<<ghadelimiter_0',
      'open',
      'ghadelimiter_0',
      '%0A::warning::forged',
    ].join('\r\n');
    const reason = { code: 'evidence_failing', actor: '::error::<b>', detail, url: 'https://x.example/"><script>' };
    const server = await TestServer.answering((request, response) => {
      request.resume();
      const body = {
        version: 'v1.0.0',
        can_deploy: false,
        current_stage: '\n\n# <b>OPEN</b>\n::warning::forged',
        candidate_sha: candidate,
        decision_id: 'x\n::error::forged',
        reasons: [reason, { ...reason, url: 'javascript:alert(1)' }],
      };
      response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': '::error::forged' });
      response.end(JSON.stringify(body));
    });
    try {
      const outcome = await gate({ release: 'v1.0.0', url: server.url });
      expect(outcome).toMatchObject({ code: 1, outputs: { outcome: 'closed' } });
      expect(Object.keys(outcome.outputs).toSorted()).toEqual(Object.keys(actionFile('gate').outputs).toSorted());
      expect(outcome.commands.map(({ name }) => name)).toEqual(['error', 'error']);
      expect(outcome.unprotected).toEqual([]);
      expect(outcome.log).not.toMatch(/^\s*::(?!debug::|error title=The gate is closed%3A )/m);
      expect(outcome.masks).not.toContain('a');
      const page = outsideCode(outcome.summary);
      expect([...page.matchAll(/<(\/?\w+)/g)].map(([, tag]) => tag).join(' ')).toBe(
        ['h3 /h3 table tr th /th th /th /tr', 'tr td /td td a /a /td /tr', 'tr td /td td /td /tr /table', 'p /p'].join(
          ' ',
        ),
      );
      expect(page).toContain('href="https://x.example/&quot;&gt;&lt;script&gt;"');
      expect(page).toContain('**bold** [link](https://evil.example)');
    } finally {
      await server.stop();
    }
  });

  describe.each<[Name]>([['upload'], ['gate']])('%s', (name) => {
    it('has a description that GitHub accepts', () => {
      const { context } = parseAction({ name: 'action.yml', content: textOf(name) }, new NoOperationTraceWriter());
      expect(context.errors.getErrors().map(({ message }) => message)).toEqual([]);
      expect(actionFile(name).runs.using).toBe('node24');
    });

    it('reads every input and writes every output of its description, and no others', async () => {
      write('junit.xml', junit(6, 0));
      // The copy of all variables for the command does not count as a read of an input.
      const hook = write(
        '.runner/hook.cjs',
        `const { appendFileSync } = require('node:fs');
         process.env = new Proxy(process.env, {
           get(target, name) {
             if (String(name).startsWith('INPUT_')) appendFileSync(__dirname + '/read', name + '\\n');
             return target[name];
           },
           ownKeys: (target) => Reflect.ownKeys(target).filter((name) => !String(name).startsWith('INPUT_')),
         });`,
      );
      const given = { ...identity(), NODE_OPTIONS: `--require=${hook}` };
      const outcome = await (name === 'upload'
        ? upload({ files: 'junit.xml' }, given)
        : gate({ release: 'v1.0.0' }, given));
      expect(outcome.code).toBe(0);
      const { inputs, outputs } = actionFile(name);
      const read = new Set(readFileSync(path.join(folder, '.runner/read'), 'utf8').trim().split('\n'));
      expect([...read].toSorted()).toEqual(
        Object.keys(inputs)
          .map((input) => `INPUT_${input.toUpperCase()}`)
          .toSorted(),
      );
      expect(Object.keys(outcome.outputs).toSorted()).toEqual(Object.keys(outputs).toSorted());
    });
  });
});

describe('the committed bundles of the actions', () => {
  const check = (): { readonly status: number | null; readonly stderr: string } =>
    spawnSync(process.execPath, [path.join(folder, 'scripts/bundle.mjs'), '--check'], { encoding: 'utf8' });

  beforeEach(() => {
    for (const name of ['src', 'action', 'scripts', 'package.json', 'tsconfig.json']) {
      cpSync(name, path.join(folder, name), { recursive: true });
    }
    symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'));
  });

  it('are what their sources give, in each folder', () => {
    expect(check()).toEqual(expect.objectContaining({ status: 0, stderr: '' }));
  });

  it('come with a command line that has the same bytes in each folder', () => {
    const [here, there] = ['.', folder].map((root, index) => {
      const file = path.join(folder, `shipgate-${index}.cjs`);
      const { status } = spawnSync(process.execPath, [path.resolve(root, 'scripts/bundle.mjs'), file]);
      expect(status).toBe(0);
      return readFileSync(file);
    });
    expect(there?.length).toBeGreaterThan(100_000);
    expect(here?.equals(there ?? Buffer.of())).toBe(true);
  });

  it.each([
    ['a bundle was edited', 'action/dist/gate.cjs', ['gate']],
    ['a license was edited', 'action/dist/LICENSES.txt', ['LICENSES']],
    ['a source was edited', 'src/client/action/run-action.ts', ['upload', 'gate']],
  ])('are reported if %s', (_, file, reported) => {
    appendFileSync(path.join(folder, file), '\nexport const edited = process.pid;\nconsole.log(edited);\n');
    const { status, stderr } = check();
    expect(status).toBe(1);
    expect(stderr.match(/(?<=action\/dist\/)\w+(?=\.\w+ is not)/g)).toEqual(reported);
  });

  it('are reported if one is missing', () => {
    rmSync(path.join(folder, 'action/dist/upload.cjs'));
    expect(check()).toMatchObject({ status: 1, stderr: expect.stringContaining('action/dist/upload.cjs is not') });
  });

  it.each<[Name]>([['upload'], ['gate']])('have at most 2 MB (%s)', (name) => {
    expect(statSync(path.resolve('action', name, actionFile(name).runs.main)).size).toBeLessThan(2 * MEGABYTE);
  });
});
