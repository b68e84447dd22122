import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { PLAIN_POLICY, RepositoryScenario } from '../e2e/scenarios/repository-scenario.js';
import { TestEnvironment } from '../support/test-environment.js';
import { identityService, TestServer } from '../workflows/runner-services.js';
import { buildClient, type ClientOutcome, removeClient, shipgate } from './client-process.js';

const SECRET = 'the secret of the job';
/** No server listens there. */
const NOWHERE = 'http://127.0.0.1:9';

describe('shipgate gate', () => {
  let env: TestEnvironment;
  let scenario: RepositoryScenario;
  let identities: TestServer;
  let candidate: string;

  beforeAll(async () => {
    buildClient();
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
    scenario = new RepositoryScenario(env, { name: 'payments' });
    candidate = await scenario.approved('v1.0.0');
    await scenario.evidencing('v2.0.0');
    identities = await identityService(SECRET, () => scenario.run(scenario.head()).token());
  }, 240_000);
  afterAll(async () => {
    removeClient();
    await identities.stop();
    await env.stop();
  });

  const variables = (): Readonly<Record<string, string>> => ({
    SHIPGATE_URL: env.baseUrl,
    GITHUB_ACTIONS: 'true',
    GITHUB_REPOSITORY: 'acme/payments',
    GITHUB_SHA: candidate,
    ACTIONS_ID_TOKEN_REQUEST_URL: `${identities.url}/token?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: SECRET,
  });
  const gate = (args: readonly string[], given: Readonly<Record<string, string>> = {}): Promise<ClientOutcome> =>
    shipgate(['gate', ...args], { env: { ...variables(), ...given } });

  it('ends with 0 if the gate is open at this commit', async () => {
    const { code, stdout, stderr } = await gate(['--release', 'v1.0.0']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`v1.0.0 of acme/payments is open (DEPLOYMENT); candidate ${candidate.slice(0, 7)}`);
  });

  it('ends with 1 and names every reason with its actor if the gate is closed', async () => {
    const { code, stdout } = await gate(['--release', 'v2.0.0', '--any-sha']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^v2\.0\.0 of acme\/payments is closed \(EVIDENCING\)/);
    expect(stdout).toMatch(/^ {2}reviewer +0 of 1 approvals/m);
    expect(stdout).toMatch(/^decision [0-9a-f-]{36}, request /m);
  });

  it('names the page of the release, also in the document of --json', async () => {
    const page = new RegExp(`^${env.baseUrl}/w/acme/releases/[0-9a-f-]{36}$`, 'm');
    expect((await gate(['--release', 'v2.0.0', '--any-sha'])).stdout).toMatch(page);
    const { json } = await gate(['--release', 'v1.0.0', '--json']);
    expect(json['release_url']).toMatch(page);
  });

  describe('of an environment', () => {
    let chained: string;

    beforeAll(async () => {
      const sdlc = `${PLAIN_POLICY}  testing: { deploy_target: Staging, soak: 1h }\n`;
      chained = await new RepositoryScenario(env, { name: 'chained', sdlc, private: false }).evidencing('v3.0.0');
    });

    const ofEnvironment = (environment: string, ...args: readonly string[]): Promise<ClientOutcome> =>
      gate(['--release', 'v3.0.0', '--repo', 'acme/chained', '--sha', chained, '--environment', environment, ...args]);

    it.each(['Staging', 'staging'])('before the target is open while the target is closed: %s', async (name) => {
      const { code, stdout } = await ofEnvironment(name);
      expect([code, stdout]).toEqual([
        0,
        expect.stringContaining(`v3.0.0 of acme/chained for ${name} is open (TESTING)`),
      ]);
      const { code: atTarget, json } = await ofEnvironment('production', '--json');
      expect([atTarget, json]).toEqual([
        1,
        expect.objectContaining({ outcome: 'closed', environment: 'production', open_until: null }),
      ]);
      expect(json['reasons']).toMatchObject([{ code: 'not_deployed_to_stage' }]);
      const withoutName = await gate(['--release', 'v3.0.0', '--repo', 'acme/chained', '--sha', chained, '--json']);
      expect([withoutName.code, withoutName.json['decision_id']]).toEqual([1, json['decision_id']]);
      expect(withoutName.json).not.toHaveProperty('environment');
    });

    it('is waited for', async () => {
      expect((await ofEnvironment('staging', '--wait', '30s')).code).toBe(0);
      const { code, stderr } = await ofEnvironment('production', '--wait', '1s');
      expect([code, stderr]).toEqual([1, expect.stringContaining('Still closed (TESTING): not_deployed_to_stage')]);
    });

    it('is unknown if the policy does not name it', async () => {
      const { code, json } = await ofEnvironment('qa', '--json');
      expect([code, json['outcome'], json['status']]).toEqual([3, 'unknown', 404]);
    });

    it('is closed at another commit', async () => {
      const { code, json } = await ofEnvironment('staging', '--sha', 'f'.repeat(40), '--json');
      expect([code, json['reasons']]).toEqual([1, [expect.objectContaining({ code: 'not_the_candidate' })]]);
    });
  });

  it('is unknown for a pull request of a fork', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'shipgate-fork-'));
    const event = path.join(folder, 'event.json');
    const [head, base] = ['eve/payments', 'acme/payments'].map((name) => ({ repo: { full_name: name } }));
    writeFileSync(event, JSON.stringify({ pull_request: { head, base } }));
    const fork = { GITHUB_EVENT_NAME: 'pull_request', GITHUB_EVENT_PATH: event };
    const none = { ACTIONS_ID_TOKEN_REQUEST_URL: '', ACTIONS_ID_TOKEN_REQUEST_TOKEN: '' };
    const { code, json } = await gate(['--release', 'v1.0.0', '--json'], { ...fork, ...none });
    expect([code, json['outcome'], json['error']]).toEqual([3, 'unknown', expect.stringContaining('of a fork')]);
    rmSync(folder, { recursive: true });
  });

  it('names the credentials that get the details of hidden reasons', async () => {
    const withKey = async (repos: readonly string[] | null): Promise<ClientOutcome> =>
      gate(['--release', 'v2.0.0', '--any-sha'], { SHIPGATE_API_KEY: await env.key(['gate:read'], undefined, repos) });
    expect((await withKey(null)).stdout).toMatch(
      /^ {2}reviewer {2}approvals_missing\n {2}Details are for runs of this/m,
    );
    const listed = await withKey(['payments']);
    expect(listed.stdout).toMatch(/^ {2}reviewer {2}0 of 1 approvals/m);
    expect(listed.stdout).not.toContain('Details are for');
  });

  it('ends with 1 at another commit, also in the document of --json', async () => {
    const { code, json } = await gate(['--release', 'v1.0.0', '--sha', 'f'.repeat(40), '--json']);
    expect(code).toBe(1);
    expect(json).toMatchObject({
      schema: 1,
      command: 'gate',
      outcome: 'closed',
      exit: 1,
      error: null,
      release: 'v1.0.0',
    });
    expect((json['reasons'] as readonly { readonly code: string }[]).map((reason) => reason.code)).toEqual([
      'not_the_candidate',
    ]);
  });

  it.each([
    [0, true, []],
    [1, false, [{ code: 'later', detail: 'A rule of a later version.', actor: 'a later actor', since: 7 }]],
  ])('ends with %i if a newer service adds members that it does not use', async (expected, canDeploy, reasons) => {
    const answer = {
      version: 'v1.0.0',
      current_stage: 'A_LATER_STAGE',
      can_deploy: canDeploy,
      reasons,
      later: { a: [1] },
    };
    const newer = await TestServer.answering((_, response) => void response.end(JSON.stringify(answer)));
    const { code, stdout } = await gate(['--release', 'v1.0.0'], { SHIPGATE_URL: newer.url });
    await newer.stop();
    expect(code).toBe(expected);
    expect(stdout).toContain(canDeploy ? 'is open (A_LATER_STAGE)' : 'A rule of a later version.');
  });

  it('ends with 3 for a release that does not exist, with the sentence of the service', async () => {
    const { code, stderr, json } = await gate(['--release', 'v9.9.9', '--json']);
    expect([code, json['outcome'], json['status']]).toEqual([3, 'unknown', 404]);
    expect(stderr).toBe(`error: ${String(json['error'])}\n`);
  });

  it.each<[string, readonly string[], Readonly<Record<string, string>>, string]>([
    ['no branch', [], { GITHUB_REF_NAME: '' }, 'CI names no branch and no tag'],
    ['no commit', ['--release', 'v1'], { GITHUB_SHA: '' }, 'The commit is missing.'],
    ['a short commit', ['--release', 'v1', '--sha', 'abc1234'], {}, '--sha must be a commit'],
    ['two commits', ['--release', 'v1', '--sha', 'f'.repeat(40), '--any-sha'], {}, 'not both'],
    ['an unknown option', ['--relase', 'v1'], {}, 'Did you mean --release?'],
    ['a wait without a unit', ['--release', 'v1', '--wait', '15'], {}, '--wait must be a duration'],
    ['a wait of more than 6 hours', ['--release', 'v1', '--wait', '7h'], {}, 'at most 6h'],
    ['a value that looks like an option', ['--release', '--help'], {}, 'the option --help follows'],
    ['a release with a space, not in quotes', ['--release', 'v1.0.0', 'rc1'], {}, '"rc1" is not expected'],
    ['a commit after --any-sha', ['--release', 'v1.0.0', '--any-sha', 'f'.repeat(40)], {}, 'is not expected'],
    ['no address', ['--release', 'v1'], { SHIPGATE_URL: '' }, 'The address of Shipgate is missing.'],
    ['an address without encryption', ['--release', 'v1', '--url', 'http://shipgate.example'], {}, 'not encrypted'],
    ['no permission', ['--release', 'v1'], { ACTIONS_ID_TOKEN_REQUEST_URL: '' }, 'id-token: write'],
    [
      'no credential',
      ['--release', 'v1', '--any-sha', '--repo', 'acme/payments'],
      { GITHUB_ACTIONS: '' },
      'SHIPGATE_API_KEY',
    ],
  ])('ends with 2 for %s, and says so', async (_, args, given, sentence) => {
    const { code, stdout, stderr } = await gate(args, given);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(sentence);
  });

  it('ends with 3 if nothing answers', async () => {
    const { code, stderr } = await gate(['--release', 'v1.0.0'], { SHIPGATE_URL: NOWHERE, SHIPGATE_RETRY_FOR: '3s' });
    expect(code).toBe(3);
    expect(stderr).toContain('127.0.0.1:9 refuses the connection.');
    expect(stderr).toContain('Next try in');
  });

  it('ends with 3 and shows the claims, never the token, if the identity is refused', async () => {
    const issued = { aud: 'another', repository: 'acme/payments', run_id: '1' };
    const token = env.issuer.token(issued);
    const other = await identityService(SECRET, () => Promise.resolve(token));
    try {
      const { code, stdout, stderr } = await gate(['--release', 'v1.0.0'], {
        ACTIONS_ID_TOKEN_REQUEST_URL: `${other.url}/token?api-version=2.0`,
      });
      expect(code).toBe(3);
      expect(stderr).toContain('aud="another" repository="acme/payments"');
      expect(stdout + stderr).not.toContain(token);
    } finally {
      await other.stop();
    }
  });

  describe('at an address of something else', () => {
    const answering = async (
      answer: (response: ServerResponse) => void,
      args: readonly string[] = [],
    ): Promise<ClientOutcome & { readonly requests: number }> => {
      let requests = 0;
      const server = await TestServer.answering((request, response) => {
        requests += 1;
        request.resume();
        answer(response);
      });
      try {
        const outcome = await gate(['--release', 'v1.0.0', ...args], {
          SHIPGATE_URL: server.url,
          SHIPGATE_RETRY_FOR: '1s',
        });
        return Object.assign(outcome, { requests });
      } finally {
        await server.stop();
      }
    };
    const json = (body: object) => (response: ServerResponse) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));

    it.each<[string, (response: ServerResponse) => void]>([
      ['a text instead of a boolean', json({ version: 'v1.0.0', can_deploy: 'true' })],
      ['a number instead of a boolean', json({ version: 'v1.0.0', can_deploy: 1 })],
      ['another version', json({ version: 'v1.0.1', can_deploy: true })],
      ['no version', json({ can_deploy: true })],
      ['a list', json([{ version: 'v1.0.0', can_deploy: true }])],
      [
        'a page of a network that wants a sign-in',
        (response) => void response.writeHead(200).end('<html>Sign in</html>'),
      ],
      ['nothing', (response) => void response.writeHead(204).end()],
      ['another status', (response) => void response.writeHead(418).end('{"version":"v1.0.0","can_deploy":true}')],
      [
        'half an answer',
        (response) => {
          response.writeHead(200, { 'content-length': '1000' }).write('{"version":"v1.0.0","can_deploy":true');
          setTimeout(() => response.destroy(), 50);
        },
      ],
    ])('ends with 3 for %s', async (_, answer) => {
      expect((await answering(answer)).code).toBe(3);
    });

    it('does not follow a redirect, and sends nothing to its target', async () => {
      let seen = 0;
      const target = await TestServer.answering((_, response) => {
        seen += 1;
        json({ version: 'v1.0.0', can_deploy: true })(response);
      });
      try {
        const outcome = await answering((response) => void response.writeHead(302, { location: target.url }).end());
        expect([outcome.code, outcome.requests, seen]).toEqual([3, 1, 0]);
        expect(outcome.stderr).toContain(`redirects to ${target.url}`);
      } finally {
        await target.stop();
      }
    });

    it('shows nothing that controls a terminal or the runner', async () => {
      const detail =
        '\u001B[2J\u202E::error::no\r\n::set-env name=A::b ##[add-mask]a ##vso[task.setvariable]b ##teamcity[x]';
      const closed = json({
        version: 'v1.0.0',
        can_deploy: false,
        current_stage: 'EVIDENCING',
        reasons: [{ code: '::error::x', actor: '::warning::', detail, url: 'https://x\u0007' }],
      });
      const plain = await answering(closed);
      expect(plain.code).toBe(1);
      expect(plain.stdout + plain.stderr).not.toMatch(/^\s*::|##\w*\[|[^\n\x20-\x7E]/m);
      const document = await answering(closed, ['--json']);
      expect(document.stdout).not.toMatch(/##\w*\[|[^\n\x20-\x7E]/);
      expect(document.json['reasons']).toHaveLength(1);
    });

    it('does not wait for an answer that never ends', async () => {
      const start = performance.now();
      const outcome = await answering((response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const timer = setInterval(() => response.write(' '), 500);
        response.on('close', () => clearInterval(timer));
      });
      expect(outcome.code).toBe(3);
      expect(performance.now() - start).toBeLessThan(60_000);
    }, 90_000);

    it('tries again after the requested time', async () => {
      let requests = 0;
      const times: number[] = [];
      const server = await TestServer.answering((request, response) => {
        request.resume();
        times.push(performance.now());
        requests += 1;
        if (requests === 1) response.writeHead(503, { 'retry-after': '2' }).end('{"error":"Not now."}');
        else json({ version: 'v1.0.0', can_deploy: true, current_stage: 'DEPLOYMENT' })(response);
      });
      try {
        expect(await gate(['--release', 'v1.0.0'], { SHIPGATE_URL: server.url })).toMatchObject({ code: 0 });
        expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1_990);
      } finally {
        await server.stop();
      }
    });
  });
});
