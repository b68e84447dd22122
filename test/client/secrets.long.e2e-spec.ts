import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { givenPersonalKey } from '../e2e/remote-tools/tools-client.js';
import { RepositoryScenario } from '../e2e/scenarios/repository-scenario.js';
import { junit } from '../support/ci-run-client.js';
import { SecretLeakDetector } from '../support/secret-leak-detector.js';
import { TestEnvironment } from '../support/test-environment.js';
import { signIn } from '../support/user-session.js';
import { identityService, type TestServer } from '../workflows/runner-services.js';
import { runActionIn } from './action-process.js';
import { buildClient, removeClient, shipgate } from './client-process.js';

const SECRET = 'the secret of the job';
/** Variables with secrets that no command needs. */
const OTHERS = {
  AWS_SECRET_ACCESS_KEY: 'canary-of-aws-0123456789',
  CIRCLE_REPOSITORY_URL: 'https://x:canary-of-circle-0123456789@github.com/acme/payments',
  GIT_URL: 'https://x:canary-of-git-0123456789@github.com/acme/payments',
  GITHUB_TOKEN: 'canary-of-github-0123456789',
  NODE_AUTH_TOKEN: 'canary-of-npm-0123456789',
};
type Texts = Readonly<Record<string, string>>;

/**
 * The places that a command may leave a secret in. Its home, its folder of temporary files and its working folder
 * belong to this test. `PATH` has one program: a `git` that records its arguments and its environment.
 */
class Places {
  private readonly root = mkdtempSync(path.join(tmpdir(), 'shipgate-secrets-'));
  readonly work = this.folder('work');
  readonly variables: Texts;

  constructor() {
    const { stdout } = spawnSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' });
    const git = path.join(this.folder('bin'), 'git');
    const record = path.join(this.folder('children'), 'calls');
    writeFileSync(
      git,
      `#!/bin/sh\n{ printf 'argument: %s\\n' "$@"; /usr/bin/env; } >> '${record}'\nexec '${stdout.trim()}' "$@"\n`,
    );
    chmodSync(git, 0o755);
    spawnSync('git', ['init', '--quiet', this.work]);
    writeFileSync(path.join(this.work, 'junit.xml'), `${junit(3, 0)}<!-- canary-in-a-file-0123456789 -->`);
    const home = this.folder('home');
    this.variables = { PATH: path.dirname(git), HOME: home, XDG_CONFIG_HOME: home, TMPDIR: this.folder('temporary') };
  }

  private folder(name: string): string {
    const folder = path.join(this.root, name);
    mkdirSync(folder);
    return folder;
  }

  /** The number of times that a child process was started. */
  get children(): number {
    const calls = path.join(this.root, 'children/calls');
    return existsSync(calls) ? readFileSync(calls, 'utf8').split('PATH=').length - 1 : 0;
  }

  /** Searches everything that was written, except the report that the test wrote itself. */
  search(detector: SecretLeakDetector): void {
    for (const entry of readdirSync(this.root, { recursive: true, withFileTypes: true })) {
      const file = path.join(entry.parentPath, entry.name);
      const [place = ''] = path.relative(this.root, file).split(path.sep);
      detector.search(`a name in ${place}`, entry.name);
      if (entry.isFile() && entry.name !== 'junit.xml') detector.search(place, readFileSync(file, 'latin1'));
    }
  }

  remove(): void {
    rmSync(this.root, { recursive: true });
  }
}

describe('a command that succeeds', () => {
  let env: TestEnvironment;
  let scenario: RepositoryScenario;
  let identities: TestServer;
  let candidate: string;
  let [apiKey, personalKey] = ['', ''];
  let detector: SecretLeakDetector;
  let places: Places;

  beforeAll(async () => {
    buildClient();
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
    scenario = new RepositoryScenario(env, { name: 'payments', private: false });
    candidate = await scenario.approved('v1.0.0');
    scenario.milestone('v1.4.0');
    await env.waitUntilIdle();
    apiKey = await env.key(['evidence:write', 'gate:read']);
    const ada = await signIn(env, env.github.createUser({ login: 'ada' }));
    personalKey = (await givenPersonalKey(ada)).secret;
  }, 240_000);
  afterAll(async () => {
    removeClient();
    await env.stop();
  });
  beforeEach(async () => {
    places = new Places();
    detector = new SecretLeakDetector();
    for (const [name, secret] of Object.entries(OTHERS)) detector.add(name, secret.replace(/.*:(.*)@.*/, '$1'));
    detector.add('file', 'canary-in-a-file-0123456789');
    detector.add('token of the job', SECRET);
    detector.add('API key', apiKey);
    detector.add('personal key', personalKey);
    identities = await identityService(SECRET, () => identityToken());
  });
  afterEach(async () => {
    places.remove();
    await identities.stop();
  });

  async function identityToken(): Promise<string> {
    const token = await scenario.run(candidate).token();
    detector.add('identity token', token);
    return token;
  }

  const github = (): Texts => ({
    ...OTHERS,
    SHIPGATE_URL: env.baseUrl,
    SHIPGATE_PERSONAL_KEY: personalKey,
    GITHUB_ACTIONS: 'true',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'acme/payments',
    GITHUB_SHA: candidate,
    GITHUB_WORKFLOW: 'build',
    GITHUB_JOB: 'test',
    GITHUB_RUN_ID: '123',
    GITHUB_RUN_ATTEMPT: '1',
  });
  const fromGitHub = (): Texts => ({
    ACTIONS_ID_TOKEN_REQUEST_URL: `${identities.url}/token?v=2`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: SECRET,
  });
  const run = async (args: readonly string[], given: Texts): ReturnType<typeof shipgate> => {
    const outcome = await shipgate(args, { cwd: places.work, env: { ...github(), ...places.variables, ...given } });
    detector.search('stdout', outcome.stdout);
    detector.search('stderr', outcome.stderr);
    return outcome;
  };

  it.each<[string, () => Promise<Texts>]>([
    ['an API key', () => Promise.resolve({ SHIPGATE_API_KEY: apiKey })],
    ['an identity token', async () => ({ SHIPGATE_ID_TOKEN: await identityToken() })],
    ['the identity of the job', () => Promise.resolve(fromGitHub())],
  ])('leaves no secret anywhere with %s', async (_, credential) => {
    for (const args of [
      ['upload', 'junit.xml', '--release', 'v1.4.0'],
      ['gate', '--release', 'v1.0.0'],
      ['policy', 'check', '--remote'],
      ['doctor'],
      ['release', 'list'],
    ]) {
      const before = places.children;
      for (const json of [[], ['--json']]) {
        const outcome = await run([...args, ...json], await credential());
        expect([args, outcome.code, outcome.stderr]).toEqual([args, 0, expect.anything()]);
      }
      expect([args, places.children > before]).toEqual([args, args[0] === 'upload' || args[0] === 'doctor']);
    }
    places.search(detector);
    expect(detector.leaks).toEqual([]);
  });

  it('leaves no secret anywhere as an action', async () => {
    const inputs = { url: env.baseUrl };
    const variables = { ...github(), ...places.variables, ...fromGitHub() };
    const outcomes = [
      await runActionIn(places.work, 'upload', { ...inputs, release: 'v1.4.0', files: 'junit.xml' }, variables),
      await runActionIn(places.work, 'gate', { ...inputs, release: 'v1.0.0' }, variables, { 'github.sha': candidate }),
    ];
    for (const { code, log, outputs, summary } of outcomes) {
      expect([code, log]).toEqual([0, expect.anything()]);
      detector.search('the log', log);
      detector.search('the outputs', JSON.stringify(outputs));
      detector.search('the summary', summary);
    }
    expect(places.children).toBeGreaterThan(0);
    places.search(detector);
    expect(detector.leaks).toEqual([]);
  });

  it('is found by this test if it leaves one', async () => {
    const leak = path.join(places.variables['HOME'] ?? '', 'leak.cjs');
    writeFileSync(
      leak,
      `const { SHIPGATE_API_KEY: key, HOME, TMPDIR } = process.env;
       const { writeFileSync } = require('node:fs');
       require('node:child_process').spawnSync('git', ['--version', key], { env: process.env });
       for (const folder of [HOME, TMPDIR, '.']) writeFileSync(folder + '/left', Buffer.from(key).toString('base64'));
       writeFileSync(TMPDIR + '/' + key, '');
       console.log(key);
       console.error(key);`,
    );
    await run(['version'], { SHIPGATE_API_KEY: apiKey, NODE_OPTIONS: `--require=${leak}` });
    places.search(detector);
    for (const place of ['stdout', 'stderr', 'children', 'home', 'temporary', 'work', 'a name in temporary']) {
      expect(detector.leaks).toContain(`a API key in ${place}`);
    }
    for (const name of ['AWS_SECRET_ACCESS_KEY', 'GIT_URL', 'personal key']) {
      expect(detector.leaks).toContain(`a ${name} in children`);
    }
  });
});
