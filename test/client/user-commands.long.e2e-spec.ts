import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { keySecret } from '../../src/domain/keys/key-secret.js';
import { ApiKeysService } from '../../src/features/keys/api-keys.service.js';
import { givenPersonalKey } from '../e2e/remote-tools/tools-client.js';
import { RepositoryScenario } from '../e2e/scenarios/repository-scenario.js';
import { TestEnvironment } from '../support/test-environment.js';
import { signIn, type UserSession } from '../support/user-session.js';
import { identityService, TestServer } from '../workflows/runner-services.js';
import { buildClient, type ClientOutcome, removeClient, shipgate } from './client-process.js';

const SECRET = 'the secret of the job';
/** No server listens there. */
const NOWHERE = 'http://127.0.0.1:9';

describe('the commands of users', () => {
  let env: TestEnvironment;
  let ada: UserSession;
  let scenario: RepositoryScenario;
  let folder: string;
  let [reading, writing] = ['', ''];

  beforeAll(async () => {
    buildClient();
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
    scenario = new RepositoryScenario(env, { name: 'payments', private: false });
    await scenario.deploy(await scenario.approved('v0.9.0'));
    await scenario.evidencing('v1.0.0');
    for (let minor = 1; minor <= 60; minor += 1) {
      const dueOn = minor === 30 ? new Date('2100-01-01T00:00:00Z') : null;
      scenario.repository.milestones.create({ title: `v2.${minor}.0`, dueOn });
    }
    await env.waitUntilIdle();
    ada = await signIn(env, env.github.createUser({ login: 'ada' }));
    reading = (await givenPersonalKey(ada, 'read')).secret;
    writing = (await givenPersonalKey(ada, 'write')).secret;
  }, 240_000);
  afterAll(async () => {
    removeClient();
    rmSync(folder, { recursive: true });
    await env.stop();
  });
  beforeEach(() => {
    if (folder) rmSync(folder, { recursive: true });
    folder = mkdtempSync(path.join(tmpdir(), 'shipgate-home-'));
  });

  const file = (): string => path.join(folder, 'shipgate/login.json');
  const run = (
    args: readonly string[],
    given: Readonly<Record<string, string>> = {},
    input = '',
  ): Promise<ClientOutcome> => shipgate(args, { env: { XDG_CONFIG_HOME: folder, ...given }, input });
  const logIn = (key = writing): Promise<ClientOutcome> => run(['login', '--url', env.baseUrl], {}, `${key}\n`);
  const withKey = (key: string, ...args: readonly string[]): Promise<ClientOutcome> =>
    run(args, { SHIPGATE_URL: env.baseUrl, SHIPGATE_PERSONAL_KEY: key });

  describe('login', () => {
    it('stores a key that works, for its owner alone, and logout removes it', async () => {
      const { code, stdout, stderr } = await logIn();
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toBe(`Logged in to ${env.baseUrl}. The key is in ${file()}, which only you can read.\n`);
      expect([statSync(file()).mode % 0o1000, statSync(path.dirname(file())).mode % 0o1000]).toEqual([0o600, 0o700]);
      expect(await run(['release', 'list'])).toMatchObject({ code: 0 });
      expect(await run(['logout'])).toMatchObject({ code: 0, stdout: expect.stringContaining('until you revoke it') });
      expect(await run(['logout'])).toMatchObject({ code: 0, stdout: 'There was no login.\n' });
      const after = await run(['release', 'list']);
      expect([after.code, after.stderr]).toEqual([2, expect.stringContaining('Run `shipgate login`')]);
    });

    it('replaces an open file of an earlier login by one for its owner', async () => {
      mkdirSync(path.dirname(file()));
      writeFileSync(file(), '{}', { mode: 0o644 });
      await logIn();
      expect(statSync(file()).mode % 0o1000).toBe(0o600);
      expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({ url: env.baseUrl, key: writing });
    });

    it.each<[string, string, number, string]>([
      ['an API key', `sgk_${'a'.repeat(40)}`, 2, 'A personal key begins with sgp_.'],
      ['nothing', '', 2, 'A personal key begins with sgp_.'],
      ['a mistyped key', `sgp_${'a'.repeat(40)}`, 2, 'its checksum is wrong'],
      ['a key that is not valid', keySecret('sgp', new Uint8Array(32)), 3, 'The personal key was refused.'],
    ])('stores nothing of %s, and does not print it', async (_, key, code, sentence) => {
      const outcome = await logIn(key);
      expect([outcome.code, outcome.stderr]).toEqual([code, expect.stringContaining(sentence)]);
      if (key !== '') expect(outcome.stdout + outcome.stderr).not.toContain(key);
      expect(() => statSync(file())).toThrow('ENOENT');
    });

    it.each(['CI', 'GITHUB_ACTIONS'])(
      'is rejected if %s is set, as in CI, and no stored login is read then',
      async (name) => {
        const refused = await run(['login', '--url', env.baseUrl], { [name]: 'true' }, writing);
        expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('A login is for users.')]);
        await logIn();
        expect(await run(['release', 'list'], { [name]: 'true' })).toMatchObject({ code: 2 });
      },
    );

    it('gives its key to no other address', async () => {
      const requests: string[] = [];
      const other = await TestServer.answering((request, response) => {
        requests.push(request.headers.authorization ?? '');
        response.end('{}');
      });
      await logIn();
      const outcome = await run(['release', 'list', '--url', other.url]);
      expect([outcome.code, outcome.stderr]).toEqual([2, expect.stringContaining(`The login is for ${env.baseUrl}`)]);
      expect(requests).toEqual([]);
      await other.stop();
    });

    it('says which file is damaged', async () => {
      mkdirSync(path.dirname(file()));
      writeFileSync(file(), 'nonsense');
      const outcome = await run(['release', 'list']);
      expect([outcome.code, outcome.stderr]).toEqual([
        2,
        `error: ${file()} is damaged. Run \`shipgate login\` again.\n`,
      ]);
    });
  });

  describe('release', () => {
    it('lists the active releases of the workspace over all pages, and those of a search', async () => {
      const { code, json } = await withKey(reading, 'release', 'list', '--json');
      expect([code, json['outcome']]).toEqual([0, 'listed']);
      const versions = (json['releases'] as readonly { readonly version: string }[]).map(({ version }) => version);
      expect(new Set(versions).size).toBe(61);
      const found = await withKey(reading, 'release', 'list', '--search', 'v1.0.0');
      expect(found.stdout).toMatch(/^acme\/payments {2}v1\.0\.0 {2}EVIDENCING {2}\w+\n$/);
      const none = await withKey(reading, 'release', 'list', '--repo', 'acme/payments', '--search', 'v9');
      expect(none).toMatchObject({ code: 0, stdout: 'No release matches.\n' });
    });

    it('lists the releases in the requested order', async () => {
      const firstOf = async (...args: readonly string[]): Promise<string> =>
        (await withKey(reading, 'release', 'list', ...args)).stdout.split(/ +/)[1] ?? '';
      expect(await firstOf('--sort', 'repository')).toBe('v2.60.0');
      expect(await firstOf('--sort', 'due')).toBe('v2.30.0');
      expect(await firstOf('--sort', 'due', '--outcome', 'needs_approval')).toBe('v1.0.0');
    });

    it('shows the stages of a release with what is met and who can do the rest', async () => {
      const { code, stdout } = await withKey(reading, 'release', 'show', 'v1.0.0', '--repo', 'acme/payments');
      expect(code).toBe(0);
      expect(stdout).toMatch(/^v1\.0\.0 of acme\/payments is in EVIDENCING, \w+; candidate [0-9a-f]{7}\n/);
      expect(stdout).toMatch(/^TESTING \(passed\)\n {2}met {6}\S/m);
      expect(stdout).toMatch(/^EVIDENCING \(current\)\n {2}unmet {4}reviewer: 0 of 1 approvals/m);
    });

    it('shows how a release was approved, with complete commits and digests', async () => {
      const args = ['release', 'approval', 'v0.9.0', '--repo', 'acme/payments'];
      const { code, stdout } = await withKey(reading, ...args);
      expect(code).toBe(0);
      expect(stdout).toMatch(
        /^v0\.9\.0 of acme\/payments is in DEPLOYED\nThe decision [0-9a-f-]{36} opened the gate\n/,
      );
      expect(stdout).toMatch(/^ {2}SHA-256 of the policy {3}[0-9a-f]{64}$/m);
      expect(stdout).toMatch(/^Approvals: 1 of 1 required\n {2}\S+ approved [0-9a-f]{40} at \S+Z; counts$/m);
      expect(stdout).toMatch(/^Requirements that were met\n {2}[A-Z]+: \S/m);
      expect(stdout).toMatch(/^ {2}unit_tests of .+ for [0-9a-f]{40} at \S+Z\n {4}[0-9a-f]{64} {2}\S/m);
      expect(stdout).toMatch(/^Waivers and break-glass\n {2}None was requested\.$/m);
      expect(stdout).toMatch(/^ {2}#\d+ of \S+Z, with the evidence of the decision: http/m);
      expect(stdout).toMatch(/evidence\.json, signed by the key \S+$/m);
      expect(stdout).toMatch(/^ {2}release to production at \S+Z.*: [0-9a-f]{40}; approved by \S+$/m);
      const { json } = await withKey(reading, ...args, '--json');
      expect(json).toMatchObject({
        outcome: 'found',
        exit: 0,
        release: { version: 'v0.9.0', stage: 'DEPLOYED' },
        record: { decision: { open: true, approvals: { given: 1 } }, deployments: [{ kind: 'release' }] },
      });
    });

    it('shows why the newest decision kept the gate of a release closed', async () => {
      const { code, stdout } = await withKey(reading, 'release', 'approval', 'v1.0.0', '--repo', 'acme/payments');
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^The decision \S+ kept the gate closed$/m)]);
      expect(stdout).toMatch(/^ {2}unmet {2}reviewer: 0 of 1 approvals/m);
      expect(stdout).toMatch(/^Deployments\n {2}None\.$/m);
    });

    it('starts a release with a key that may write, and again without a change', async () => {
      const start = (key: string): Promise<ClientOutcome> =>
        withKey(key, 'release', 'start', 'v2.1.0', '--repo', 'acme/payments');
      const refused = await start(reading);
      expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('scope')]);
      for (let times = 0; times < 2; times += 1) {
        expect(await start(writing)).toMatchObject({
          code: 0,
          stdout: expect.stringMatching(/^v2\.1\.0 of acme\/payments is started\. It is in [A-Z]+\.\n$/),
        });
      }
    });

    it.each<[string, readonly string[], number, string]>([
      ['no action', [], 2, 'Use `shipgate release list`'],
      ['a version of a list', ['list', 'v1.0.0'], 2, 'Use `shipgate release list`'],
      ['no version', ['show'], 2, 'Use `shipgate release list`'],
      ['an unknown action', ['toString', 'v1.0.0'], 2, 'Use `shipgate release list`'],
      ['no repository', ['show', 'v1.0.0'], 2, 'The repository is missing.'],
      ['a repository of one part', ['show', 'v1.0.0', '--repo', 'payments'], 2, '--repo must be OWNER/NAME.'],
      ['a search of one release', ['show', 'v1.0.0', '--search', 'v1'], 2, '--search is for'],
      ['an unknown release', ['show', 'v1', '--repo', 'acme/payments'], 3, 'acme/payments has no release v1'],
      ['an unknown repository', ['show', 'v1.0.0', '--repo', 'acme/nothing'], 3, 'repository'],
      ['an order of one release', ['show', 'v1.0.0', '--sort', 'due'], 2, '--sort is for'],
      [
        'an order of one repository',
        ['list', '--repo', 'acme/payments', '--sort', 'due'],
        2,
        'Use --sort without --repo.',
      ],
      ['an unknown outcome', ['list', '--outcome', 'great'], 2, 'outcome'],
      ['an unknown order', ['list', '--sort', 'great'], 2, 'sort must be updated, urgency, due, repository'],
    ])('ends with %s', async (_, args, code, sentence) => {
      const outcome = await withKey(reading, 'release', ...args);
      expect([outcome.code, outcome.stdout]).toEqual([code, '']);
      expect(outcome.stderr).toContain(sentence);
    });

    it('ends with 3 without a response, and for a response of another service', async () => {
      const silent = await run(['release', 'list'], {
        SHIPGATE_URL: NOWHERE,
        SHIPGATE_PERSONAL_KEY: reading,
        SHIPGATE_RETRY_FOR: '0s',
      });
      expect(silent.code).toBe(3);
      const other = await TestServer.answering(
        (_, response) => void response.end('<html>Sign in to the network</html>'),
      );
      const portal = await run(['release', 'list'], { SHIPGATE_URL: other.url, SHIPGATE_PERSONAL_KEY: reading });
      expect([portal.code, portal.stderr]).toEqual([3, expect.stringContaining('not as Shipgate does')]);
      await other.stop();
    });
  });

  describe('doctor', () => {
    type Checks = Readonly<Record<string, readonly [string, string]>>;
    const checksOf = ({ json }: ClientOutcome): Checks =>
      Object.fromEntries(
        (json['checks'] as readonly Readonly<Record<'name' | 'result' | 'detail', string>>[]).map((check) => [
          check.name,
          [check.result, check.detail],
        ]),
      );
    const doctor = (given: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<ClientOutcome> =>
      run(['doctor', '--json', ...args], given);
    const job = async (identities: TestServer): Promise<Readonly<Record<string, string>>> => ({
      SHIPGATE_URL: env.baseUrl,
      GITHUB_ACTIONS: 'true',
      GITHUB_REPOSITORY: 'acme/payments',
      GITHUB_SHA: scenario.head(),
      ACTIONS_ID_TOKEN_REQUEST_URL: `${identities.url}/token?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: SECRET,
    });

    it('finds no problem in a job that is set up, and prints no token', async () => {
      const tokens: string[] = [];
      const identities = await identityService(SECRET, async () => {
        tokens.push(await scenario.run(scenario.head()).token());
        return tokens.at(-1) ?? '';
      });
      const outcome = await doctor(await job(identities));
      await identities.stop();
      expect([outcome.code, outcome.json['outcome']]).toEqual([0, 'healthy']);
      const checks = checksOf(outcome);
      for (const name of ['tool', 'CI', 'git', 'address', 'service', 'clock', 'version', 'credential', 'repository']) {
        expect([name, checks[name]?.[0]]).toEqual([name, 'ok']);
      }
      expect(checks['repository']?.[1]).toMatch(/^Shipgate knows acme\/payments\. Its policy is \w+ at this commit\.$/);
      expect(tokens).toHaveLength(1);
      expect(outcome.stdout + outcome.stderr).not.toContain(tokens[0]);
    });

    it('names a wrong audience and a wrong issuer, and does not send the token', async () => {
      const claims = { aud: 'sigstore', iss: 'https://issuer.example' };
      const token = ['e30', Buffer.from(JSON.stringify(claims)).toString('base64url'), 'c2lnbmF0dXJl'].join('.');
      const commit = ['--repo', 'acme/payments', '--commit', scenario.head()];
      const outcome = await doctor({ SHIPGATE_URL: env.baseUrl, SHIPGATE_ID_TOKEN: token }, ...commit);
      const checks = checksOf(outcome);
      expect([outcome.code, checks['audience'], checks['issuer']?.[0], checks['rights']]).toEqual([
        3,
        ['failed', 'The token is for "sigstore", but Shipgate expects "shipgate". Set SHIPGATE_AUDIENCE.'],
        'failed',
        undefined,
      ]);
      expect(outcome.stdout).not.toContain(token);
    });

    it.each<[string, Readonly<Record<string, string>>, number, string, RegExp]>([
      ['no address', {}, 2, 'address', /^The address of Shipgate is missing\./],
      ['an address that is not encrypted', { SHIPGATE_URL: 'http://shipgate.example' }, 2, 'address', /not encrypted/],
      ['no service', { SHIPGATE_URL: NOWHERE }, 3, 'service', /refuses the connection/],
    ])('names %s', async (_, given, code, name, sentence) => {
      const outcome = await doctor(given);
      expect([outcome.code, checksOf(outcome)[name]?.[1]]).toEqual([code, expect.stringMatching(sentence)]);
    });

    it('uses the default branch if no commit is given', async () => {
      const given = {
        SHIPGATE_URL: env.baseUrl,
        SHIPGATE_API_KEY: await env.key(['evidence:write', 'gate:read'], undefined, ['payments']),
      };
      const outcome = await doctor({ ...given, SHIPGATE_REPO: 'acme/payments' });
      expect([outcome.code, checksOf(outcome)['repository']]).toEqual([
        0,
        ['ok', 'Shipgate knows acme/payments. Its policy is valid on its default branch.'],
      ]);
      const missing = 'The repository is missing. Use --repo OWNER/NAME.';
      expect(checksOf(await doctor(given))['repository']).toEqual(['failed', missing]);
    });

    it('says that there is no credential, and how to get one', async () => {
      const outcome = await doctor({ SHIPGATE_URL: env.baseUrl });
      expect([outcome.code, checksOf(outcome)['credential']]).toEqual([
        2,
        ['failed', expect.stringContaining('Set SHIPGATE_API_KEY')],
      ]);
    });

    it.each<[string, number, RegExp]>([
      ['an hour behind', 3_600_000, /^It is 3[56]\d\d s behind the clock of Shipgate\./],
      ['an hour ahead', -3_600_000, /^It is 3[56]\d\d s ahead of the clock of Shipgate\./],
    ])('notices a clock that is %s', async (_, offsetMs, sentence) => {
      const other = await TestServer.answering((_request, response) => {
        response.setHeader('date', new Date(Date.now() + offsetMs).toUTCString());
        response.end('{"status":"ready"}');
      });
      const outcome = await doctor({ SHIPGATE_URL: other.url, SHIPGATE_API_KEY: keySecret('sgk', new Uint8Array(32)) });
      await other.stop();
      expect([outcome.code, checksOf(outcome)['clock']]).toEqual([2, ['failed', expect.stringMatching(sentence)]]);
    });

    it('does not take a captive portal for Shipgate, and sends it no credential', async () => {
      const credentials: (string | undefined)[] = [];
      const other = await TestServer.answering((request, response) => {
        credentials.push(request.headers.authorization);
        response.end('{}');
      });
      const commit = ['--repo', 'acme/payments', '--commit', scenario.head()];
      const outcome = await doctor(
        { SHIPGATE_URL: other.url, SHIPGATE_API_KEY: keySecret('sgk', new Uint8Array(32)) },
        ...commit,
      );
      await other.stop();
      expect([outcome.code, checksOf(outcome)['service']]).toEqual([
        3,
        ['failed', 'The address answered 200, and not as Shipgate does.'],
      ]);
      expect(credentials).toEqual([undefined]);
    });

    it('says that a short commit is wrong, beside the other results', async () => {
      const commit = ['--repo', 'acme/payments', '--commit', 'HEAD'];
      const key = await env.key();
      const outcome = await doctor({ SHIPGATE_URL: env.baseUrl, SHIPGATE_API_KEY: key }, ...commit);
      expect([outcome.code, checksOf(outcome)['service']?.[0], checksOf(outcome)['repository']]).toEqual([
        2,
        'ok',
        ['failed', '--commit must be a commit in 40 lower-case hexadecimal digits.'],
      ]);
    });

    it('says what a key may do, for which repositories, and until when', async () => {
      const orgId = await env.orgId(env.organization);
      const create = async (scopes: readonly ('evidence:write' | 'gate:read')[], days: number | null, repos: boolean) =>
        (
          await env.app.get(ApiKeysService).create(
            { kind: 'operator', orgId },
            {
              name: 'ci',
              scopes,
              repos: repos ? ['payments'] : null,
              expiresAt: days === null ? null : new Date(env.clock.now().getTime() + days * 86_400_000),
            },
          )
        ).key;
      const check = async (key: string, repo = 'acme/payments') =>
        doctor({ SHIPGATE_URL: env.baseUrl, SHIPGATE_API_KEY: key, SHIPGATE_REPO: repo });
      const wide = await check(await create(['evidence:write', 'gate:read'], null, false));
      expect([wide.code, checksOf(wide)['scopes'], checksOf(wide)['repositories'], checksOf(wide)['expiry']]).toEqual([
        0,
        ['ok', 'The API key may upload evidence, and check the gate and find releases.'],
        ['ok', 'The key is for every repository of the workspace.'],
        ['note', 'The key does not expire.'],
      ]);
      const narrow = await check(await create(['evidence:write'], 400, true));
      expect([narrow.code, checksOf(narrow)['scopes'], checksOf(narrow)['repositories']]).toEqual([
        3,
        [
          'failed',
          expect.stringContaining('It may not check the gate and find releases, because it lacks the scope gate:read.'),
        ],
        ['ok', 'The key is for acme/payments.'],
      ]);
      expect(checksOf(narrow)['expiry']).toEqual([
        'ok',
        expect.stringMatching(/^The key expires on \d{4}-\d\d-\d\d\.$/),
      ]);
      expect(checksOf(narrow)['repository']?.[0]).toBe('note');
      const other = await check(await create(['gate:read'], 3, true), 'acme/other');
      expect([other.code, checksOf(other)['repositories'], checksOf(other)['expiry']]).toEqual([
        3,
        ['failed', 'The key is for acme/payments, and not for acme/other. Use another key.'],
        ['note', expect.stringMatching(/, in [34] days\. Replace it before that day\.$/)],
      ]);
      const unknown = await check(keySecret('sgk', new Uint8Array(32)));
      expect([unknown.code, checksOf(unknown)['rights']?.[0]]).toEqual([3, 'failed']);
    });

    it('does not send a key that is mistyped or of another kind', async () => {
      const credentials: (string | undefined)[] = [];
      const other = await TestServer.answering((request, response) => {
        credentials.push(request.headers.authorization);
        response.end('{"status":"ready"}');
      });
      const right = keySecret('sgk', new Uint8Array(32));
      const mistyped = await doctor({ SHIPGATE_URL: other.url, SHIPGATE_API_KEY: `${right.slice(0, -1)}x` });
      const personal = await doctor({
        SHIPGATE_URL: other.url,
        SHIPGATE_API_KEY: keySecret('sgp', new Uint8Array(32)),
      });
      const user = await doctor({ SHIPGATE_URL: other.url, SHIPGATE_PERSONAL_KEY: 'sgp_x' });
      await other.stop();
      expect([mistyped.code, checksOf(mistyped)['credential']]).toEqual([
        2,
        ['failed', expect.stringContaining('its checksum is wrong')],
      ]);
      expect([personal.code, checksOf(personal)['credential']]).toEqual([
        2,
        ['failed', expect.stringContaining('it is a personal key')],
      ]);
      expect(checksOf(user)['personal key']?.[0]).toBe('failed');
      expect(credentials.filter((credential) => credential !== undefined)).toEqual([]);
    });

    it('names the target of a redirect, and sends no credential to such an address', async () => {
      const credentials: (string | undefined)[] = [];
      const other = await TestServer.answering((request, response) => {
        credentials.push(request.headers.authorization);
        response.writeHead(302, { location: 'https://elsewhere.example/' }).end();
      });
      const commit = ['--repo', 'acme/payments', '--commit', scenario.head()];
      const outcome = await doctor(
        { SHIPGATE_URL: other.url, SHIPGATE_API_KEY: keySecret('sgk', new Uint8Array(32)) },
        ...commit,
      );
      await other.stop();
      expect([outcome.code, checksOf(outcome)['service']]).toEqual([
        3,
        ['failed', 'The address redirects to https://elsewhere.example/. Name the right address.'],
      ]);
      expect(credentials).toEqual([undefined]);
    });
  });
});
