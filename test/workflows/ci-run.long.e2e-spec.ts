import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { RepositoryScenario } from '../e2e/scenarios/repository-scenario.js';
import { junit } from '../support/ci-run-client.js';
import { TestEnvironment } from '../support/test-environment.js';
import { faultyGateServer, identityService, TestServer } from './runner-services.js';
import { commandsIn, Runner, type StepOutcome } from './step-run.js';

const SECRET = 'the token of the job';
const step = (job: string, name: string) => ({ workflow: 'ci', job, step: name });
const TESTS = step('test', 'Run the tests');
const FAILURE = step('test', 'Report that the tests failed');
const COLLECT = step('test', 'Collect the reports');
const RELEASE = step('evidence', 'Find the release');
const UPLOAD = step('evidence', 'Upload the evidence');

let runner: Runner;
beforeEach(async () => {
  runner = await Runner.create();
});
afterEach(() => runner.remove());

/** Writes files into the folder of the job. */
async function given(files: Readonly<Record<string, string>>, folder = runner.workspace): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}
const reports = async (): Promise<readonly string[]> => {
  const folder = path.join(runner.temp, 'shipgate-reports');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name)))
    .toSorted();
};

describe('the tests of a repository', () => {
  it('are run by its own command if it defines one', async () => {
    await given({ '.github/shipgate-test.sh': 'echo mine\n', 'package-lock.json': '{}' });
    expect(await runner.run(TESTS)).toMatchObject({ code: 0, log: 'mine\n' });
  });

  it('are run by npm, depending on its lock file', async () => {
    await given({
      'package.json': '{"name":"a","version":"1.0.0","scripts":{"test":"node -e \\"process.exit(3)\\""}}',
      'package-lock.json':
        '{"name":"a","version":"1.0.0","lockfileVersion":3,"packages":{"":{"name":"a","version":"1.0.0"}}}',
    });
    expect((await runner.run(TESTS)).code).not.toBe(0);
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['what is not locked', { 'package.json': '{}' }, 'Commit a lock file'],
    ['nothing', { 'README.md': '' }, 'No tests were found'],
  ])('fail if there is %s', async (_, files, sentence) => {
    await given(files);
    expect(await runner.run(TESTS)).toMatchObject({ code: 1, log: expect.stringContaining(sentence) });
  });

  it('leave the reports of this run, under their names and folders', async () => {
    await given({
      '.github/shipgate-test.sh': [
        'mkdir -p build/test-results/test coverage node_modules/x target',
        'for file in junit.xml build/test-results/test/TEST-a.xml coverage/lcov.info coverage/clover.xml \\',
        '  target/jacoco.xml node_modules/x/junit.xml notes.xml "with space-junit.xml"; do echo new > "$file"; done',
      ].join('\n'),
      'old/junit.xml': 'of an earlier run',
    });
    await utimes(path.join(runner.workspace, 'old/junit.xml'), 1, 1);
    expect(await runner.run(TESTS)).toMatchObject({ code: 0 });
    expect(await runner.run(COLLECT)).toMatchObject({ code: 0, outputs: 'found=true\n' });
    expect(await reports()).toEqual([
      'build/test-results/test/TEST-a.xml',
      'coverage/lcov.info',
      'junit.xml',
      'target/jacoco.xml',
      'with space-junit.xml',
    ]);
  });

  it('are reports whatever their names are, and no name is used as a command or another file', async () => {
    const names = [
      '-rf-junit.xml',
      'a;b,c"d\'-junit.xml',
      '$(touch owned)-junit.xml',
      'x\n##[notice]y-junit.xml',
      'junit*.xml',
    ];
    await given({
      '.github/shipgate-test.sh': [
        'git init -q . && git add -f junit-committed.xml',
        ...names.map((name) => `printf new > ./'${name.replaceAll("'", `'\\''`)}'`),
      ].join('\n'),
      'junit-committed.xml': 'a fixture',
    });
    expect(await runner.run(TESTS)).toMatchObject({ code: 0 });
    const { code, log } = await runner.run(COLLECT);
    expect([code, commandsIn(log)]).toEqual([0, []]);
    expect(await reports()).toEqual(names.toSorted());
  });

  it('do not count a committed report, though the tests wrote it again', async () => {
    await given({
      '.github/shipgate-test.sh': 'git init -q . && git add -f fixtures && echo again > fixtures/junit.xml\n',
      'fixtures/junit.xml': 'a fixture',
    });
    expect(await runner.run(TESTS)).toMatchObject({ code: 0 });
    expect(await runner.run(COLLECT)).toMatchObject({ code: 0, outputs: '' });
    expect(await reports()).toEqual([]);
  });

  it('report that they left none', async () => {
    await given({ '.github/shipgate-test.sh': 'true\n' });
    await runner.run(TESTS);
    const { code, log, outputs } = await runner.run(COLLECT);
    expect([code, outputs, log]).toEqual([0, '', expect.stringContaining('::warning')]);
  });

  it('fail in a report of their own if they failed', async () => {
    await given({ '.github/shipgate-test.sh': `echo '${junit(3)}' > junit.xml; exit 1\n` });
    expect((await runner.run(TESTS)).code).toBe(1);
    expect((await runner.run(FAILURE)).code).toBe(0);
    expect(await runner.run(COLLECT)).toMatchObject({ outputs: 'found=true\n' });
    expect(await reports()).toEqual(['junit.xml', 'shipgate-ci.xml']);
  });
});

describe('the release of a run', () => {
  let host: TestServer;
  let milestones: { status: number; body: string };
  beforeAll(async () => {
    host = await TestServer.answering((_, response) => {
      response.writeHead(milestones.status, { 'content-type': 'application/json' }).end(milestones.body);
    });
  });
  afterAll(() => host.stop());

  const find = (variables: Readonly<Record<string, string>>, titles: readonly string[] = []): Promise<StepOutcome> => {
    milestones = {
      status: 200,
      body: JSON.stringify(
        titles.map((title, number) => ({ number, title, state: 'open' })),
        null,
        2,
      ),
    };
    return runner.run(RELEASE, {
      TOKEN: 'ghs',
      ORDERED: '',
      TRUNK: 'main',
      NEXT: '',
      GITHUB_REF_NAME: 'main',
      GITHUB_REPOSITORY: 'acme/payments',
      GITHUB_API_URL: host.url,
      ...variables,
    });
  };

  it.each<[string, Readonly<Record<string, string>>, readonly string[], string]>([
    ['the one that the input names', { ORDERED: 'v3.0.0', GITHUB_REF_NAME: 'release/v1.0.0' }, [], 'v3.0.0'],
    ['the one in the name of the branch', { GITHUB_REF_NAME: 'release/v1.4.0-rc.1' }, ['v9.0.0'], 'v1.4.0-rc.1'],
    ['the only open milestone that is a version', {}, ['Someday', 'v1.4.0', 'v1.x'], 'v1.4.0'],
    ['the one that the variable names', { NEXT: 'v2.0.0' }, ['v1.4.0', 'v2.0.0'], 'v2.0.0'],
    ['a calendar version', {}, ['2026.11.1'], '2026.11.1'],
    ['none on a branch of Shipgate', { GITHUB_REF_NAME: 'shipgate/evidence/v1.0.0' }, ['v1.0.0'], ''],
    ['none on a feature branch', { GITHUB_REF_NAME: 'fix-it' }, ['v1.0.0'], ''],
    ['none where several milestones could be meant', {}, ['v1.4.0', 'v2.0.0'], ''],
    ['none where no milestone is a version', {}, ['Someday'], ''],
  ])('is %s', async (_, variables, titles, version) => {
    const { code, outputs } = await find(variables, titles);
    expect([code, outputs]).toEqual([0, version === '' ? '' : `version=${version}\n`]);
  });

  it.each(['v1', 'v1.0.0\nversion=v2.0.0', '$(touch owned)', 'v1.0.0; touch owned'])(
    'is rejected if it is no version: %j',
    async (ordered) => {
      expect(await find({ ORDERED: ordered })).toMatchObject({ code: 1, outputs: '' });
      expect(await readdir(runner.workspace)).toEqual([]);
    },
  );

  it('is not guessed if the milestones cannot be read', async () => {
    const answer = find({});
    milestones = { status: 403, body: '{"message":"no"}' };
    expect(await answer).toMatchObject({ code: 1, outputs: '' });
  });
});

describe('the upload', () => {
  let env: TestEnvironment;
  let scenario: RepositoryScenario;
  let identities: TestServer;
  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
    scenario = new RepositoryScenario(env, { name: 'payments' });
    scenario.milestone('v1.0.0');
    await env.waitUntilIdle();
    identities = await identityService(SECRET, () => scenario.run(scenario.head(), { runId: 77 }).token());
  }, 120_000);
  afterAll(async () => {
    await identities.stop();
    await env.stop();
  });

  const upload = (variables: Readonly<Record<string, string>> = {}): Promise<StepOutcome> =>
    runner.run(UPLOAD, {
      SHIPGATE_URL: env.baseUrl,
      SHIPGATE_AUDIENCE: 'shipgate',
      VERSION: 'v1.0.0',
      GITHUB_REPOSITORY: 'acme/payments',
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_RUN_ID: '77',
      ACTIONS_ID_TOKEN_REQUEST_URL: `${identities.url}/token?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: SECRET,
      ...variables,
    });
  const givenReports = (files: Readonly<Record<string, string>>): Promise<void> =>
    given(files, path.join(runner.temp, 'shipgate-reports'));
  const stored = async (): Promise<readonly { name: string; content: string }[]> =>
    (
      await env.asSuperuser<{ name: string; bytes: Buffer }>(
        `select r.name, c.bytes from evidence_report r join report_content c on c.org_id = r.org_id and c.sha256 = r.sha256
         order by r.name`,
      )
    ).map(({ name, bytes }) => ({ name, content: bytes.toString('utf8') }));

  it('arrives unchanged, whatever the reports contain, and once after three attempts', async () => {
    const odd = junit(2).replace(
      'name="s"',
      'name="quote &quot; back\\slash \\n tab\there é 漢 \u{1F600} $HOME `id` %s"',
    );
    await givenReports({
      'build/TEST-a b.xml': `${odd}\r\n`,
      'lcov.info': 'SF:a.ts\nDA:1,1\nLF:1\nLH:1\nend_of_record\n',
    });
    const { server, passed } = await faultyGateServer(env.baseUrl, 2);
    try {
      const { code, log } = await upload({ SHIPGATE_URL: server.url });
      expect([code, log]).toEqual([0, expect.stringContaining('::notice')]);
      expect(passed).toHaveLength(1);
    } finally {
      await server.stop();
    }
    expect(await stored()).toEqual([
      { name: 'build/TEST-a b.xml', content: `${odd}\r\n` },
      { name: 'lcov.info', content: 'SF:a.ts\nDA:1,1\nLF:1\nLH:1\nend_of_record\n' },
    ]);
    await env.waitUntilIdle();
    expect(await scenario.gate('v1.0.0')).toMatchObject({ tests_passing: true, current_stage: 'EVIDENCING' });
    expect(await upload()).toMatchObject({ code: 0, log: expect.stringContaining('already received') });
  });

  it('sends only the reports, whatever their names are', async () => {
    const secret = path.join(runner.temp, 'secret', 'junit.xml');
    await given({ 'secret/junit.xml': junit(7) }, runner.temp);
    await givenReports({
      evil: junit(1),
      [`evil\n${secret}`]: junit(2),
      '-rf.xml': junit(3),
      'a;type=x,"b".xml': junit(4),
      'bell\u0007.xml': junit(5),
      'é 漢.xml': junit(6),
    });
    scenario.commit();
    await env.waitUntilIdle();
    const before = (await stored()).length;
    const { code, log } = await upload();
    expect([code, log]).toEqual([0, expect.stringContaining('::notice')]);
    const sent = (await stored()).map(({ name, content }) => [name, content]);
    expect(sent).toHaveLength(before + 6);
    expect(sent).toEqual(
      expect.arrayContaining([
        ['evil', junit(1)],
        [`evil_${secret}`, junit(2)],
        ['-rf.xml', junit(3)],
        ['a;type=x,"b".xml', junit(4)],
        ['bell_.xml', junit(5)],
        [expect.stringMatching(/^(?:é 漢|__ ___)\.xml$/), junit(6)],
      ]),
    );
    expect(sent.map(([, content]) => content)).not.toContain(junit(7));
  });

  it('shows the response, and runs nothing in it as a command', async () => {
    await givenReports({ 'junit.xml': junit(1) });
    const server = await TestServer.answering((request, response) => {
      request.resume();
      response.writeHead(422).end('{"error":"##[notice]stored"}\n::notice::The evidence is stored.');
    });
    const { code, log } = await upload({ SHIPGATE_URL: server.url }).finally(() => void server.stop());
    expect([code, log]).toEqual([1, expect.stringContaining('::notice::The evidence is stored.')]);
    expect(commandsIn(log).filter((command) => !command.startsWith('::add-mask::'))).toEqual([
      '::error title=Shipgate::Shipgate responded with status 422: the evidence is not stored.',
    ]);
  });

  it('marks the tests as failed if the run failed, whatever its reports contain', async () => {
    await given({ '.github/shipgate-test.sh': `echo '${junit(3)}' > junit.xml; exit 1\n` });
    await runner.run(TESTS);
    await runner.run(FAILURE);
    await runner.run(COLLECT);
    scenario.commit();
    await env.waitUntilIdle();
    expect(await upload()).toMatchObject({ code: 0 });
    await env.waitUntilIdle();
    expect(await scenario.gate('v1.0.0')).toMatchObject({ tests_passing: false });
  });

  it.each<[string, Readonly<Record<string, string>>, Readonly<Record<string, string>>]>([
    ['a report that cannot be read', { 'junit.xml': '<testsuite' }, {}],
    ['an unknown release', { 'junit.xml': junit(1) }, { VERSION: 'v9.9.9' }],
    ['no identity', { 'junit.xml': junit(1) }, { ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'wrong' }],
    ['a service that does not answer', { 'junit.xml': junit(1) }, { SHIPGATE_URL: 'http://127.0.0.1:9' }],
  ])('fails for %s', async (_, files, variables) => {
    await givenReports(files);
    expect(await upload(variables)).toMatchObject({ code: 1, log: expect.stringContaining('::error') });
  });

  it('leaves no token in its output', async () => {
    await givenReports({ 'junit.xml': junit(1) });
    await upload();
    for (const name of await readdir(runner.temp)) {
      const text = await readFile(path.join(runner.temp, name), 'utf8').catch(() => '');
      expect(text).not.toMatch(/ey[\w-]+\.[\w-]+\.[\w-]+/);
    }
  });
});
