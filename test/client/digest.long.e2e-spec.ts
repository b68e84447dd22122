import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PLAIN_POLICY, RepositoryScenario } from '../e2e/scenarios/repository-scenario.js';
import { TestEnvironment } from '../support/test-environment.js';
import { faultyGateServer, identityService, type TestServer } from '../workflows/runner-services.js';
import { buildClient, type ClientOutcome, removeClient, shipgate } from './client-process.js';

const SECRET = 'the secret of the job';
const POLICY = `${PLAIN_POLICY}  testing: { deploy_target: staging, required_artifacts: [{ name: api, provenance: false }] }\n`;
const VERSION = 'v1.0.0';
const digestOf = (digit: string): string => `sha256:${digit.repeat(64)}`;
const [DIGEST, OF_TOOL, OF_NOTHING] = [digestOf('a'), digestOf('b'), digestOf('c')];

interface Report {
  readonly environment: string;
  readonly digest?: string;
  readonly status: string;
}

describe('the digest of an artifact, from its upload to its deployment', () => {
  let env: TestEnvironment;
  let scenario: RepositoryScenario;
  let identities: TestServer;
  let front: Awaited<ReturnType<typeof faultyGateServer>>;
  let folder: string;
  let candidate: string;
  /** The environment of the job that calls the client. */
  let jobEnvironment = 'production';

  beforeAll(async () => {
    buildClient();
    folder = mkdtempSync(path.join(tmpdir(), 'shipgate-digest-'));
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
    front = await faultyGateServer(env.baseUrl, 0);
    scenario = new RepositoryScenario(env, { name: 'payments', sdlc: POLICY });
    candidate = await scenario.evidencing(VERSION);
    identities = await identityService(SECRET, () =>
      scenario.run(candidate, { environment: jobEnvironment }).token('deploy'),
    );
    for (const artifact of [`api@${DIGEST}`, `tool@${OF_TOOL}`]) {
      const { code, stdout } = await run(['upload', '--artifact', artifact]);
      expect([code, stdout]).toEqual([0, expect.stringContaining('bound to its commit by: run')]);
    }
    await env.waitUntilIdle();
  }, 240_000);
  afterAll(async () => {
    removeClient();
    rmSync(folder, { recursive: true });
    await Promise.all([identities.stop(), front.server.stop()]);
    expect(env.violations).toEqual([]);
    await env.stop();
  });
  beforeEach(() => {
    jobEnvironment = 'production';
  });

  const run = (args: readonly string[]): Promise<ClientOutcome> =>
    shipgate(args, {
      cwd: folder,
      env: {
        SHIPGATE_URL: front.server.url,
        SHIPGATE_VERSION: VERSION,
        GITHUB_ACTIONS: 'true',
        GITHUB_REPOSITORY: 'acme/payments',
        GITHUB_SHA: candidate,
        ACTIONS_ID_TOKEN_REQUEST_URL: `${identities.url}/token?api-version=2.0`,
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: SECRET,
      },
    });

  /** Calls `deploy` with a command that leaves a file. Returns the outcome, whether the command ran, and the reports. */
  async function deploy(
    environment: string,
    digest: string,
  ): Promise<ClientOutcome & { readonly hasRun: boolean; readonly reports: readonly Report[] }> {
    jobEnvironment = environment;
    const file = path.join(folder, 'deployed');
    const before = front.passed.length;
    const args = ['deploy', '--environment', environment, '--digest', digest, '--', 'sh', '-c', 'pwd > deployed'];
    const outcome = await run(args);
    const hasRun = existsSync(file);
    rmSync(file, { force: true });
    return Object.assign(outcome, { hasRun, reports: reportsAfter(before) });
  }

  /** The reports after so many requests. */
  const reportsAfter = (requests: number): readonly Report[] =>
    front.passed
      .slice(requests)
      .filter((request) => request.path === '/api/deployments')
      .map(({ body }) => JSON.parse(body) as Report);

  const saveKeys = async (): Promise<void> => {
    const response = await fetch(`${env.baseUrl}/api/statement-keys`);
    writeFileSync(path.join(folder, 'keys.json'), await response.text());
  };
  const verify = (environment: string, ...more: readonly string[]): Promise<ClientOutcome> => {
    const resource = `${env.baseUrl}/repositories/${scenario.repository.id}/environments/${environment}`;
    const expected = ['--key', 'keys.json', '--verifier', env.baseUrl, '--resource', resource];
    return run(['verify-statement', 'statement.json', ...expected, ...more]);
  };
  const gate = (environment: string, digest: string, ...more: readonly string[]): Promise<ClientOutcome> =>
    run(['gate', '--environment', environment, '--digest', digest, '--statement', 'statement.json', ...more]);

  describe('before the evidence is approved', () => {
    it('is deployed to the environment before the target, and to no other', async () => {
      const staging = await deploy('staging', DIGEST);
      expect([staging.code, staging.hasRun]).toEqual([0, true]);
      expect(staging.reports).toEqual([
        expect.objectContaining({ environment: 'staging', digest: DIGEST, status: 'started', commit_sha: candidate }),
        expect.objectContaining({ environment: 'staging', digest: DIGEST, status: 'succeeded', commit_sha: candidate }),
      ]);
      expect(await deploy('production', DIGEST)).toMatchObject({ code: 1, hasRun: false, reports: [] });
      const stored = await env.asSuperuser(
        `select d.environment, d.commit_sha, r.status from reported_deployment d
         join deployment_report r on r.deployment_id = d.id order by r.received_at, r.id`,
      );
      expect(stored).toEqual(
        ['started', 'succeeded'].map((status) => ({ environment: 'staging', commit_sha: candidate, status })),
      );
    });

    it('has a statement that the gate of that environment is open', async () => {
      await saveKeys();
      expect((await gate('staging', DIGEST)).code).toBe(0);
      expect(await verify('staging', '--digest', DIGEST)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^VALID until /),
      });
      expect(await verify('production', '--digest', DIGEST)).toMatchObject({
        code: 1,
        stdout: expect.stringContaining('NOT VALID: it is about another resource'),
      });
      expect((await gate('production', DIGEST)).code).toBe(1);
      expect(await verify('production', '--digest', DIGEST)).toMatchObject({
        code: 1,
        stdout: expect.stringContaining('the gate was closed'),
      });
    });
  });

  describe('after the approval', () => {
    beforeAll(async () => {
      scenario.approve(VERSION);
      await env.waitUntilIdle();
    });

    it.each([
      ['the policy does not name', OF_TOOL],
      ['the release does not have', OF_NOTHING],
    ])('runs no command and reports nothing for an artifact that %s', async (_, digest) => {
      for (const environment of ['production', 'staging']) {
        const { code, stdout, hasRun, reports } = await deploy(environment, digest);
        expect([environment, code, hasRun, reports]).toEqual([environment, 1, false, []]);
        expect(stdout).toContain('is closed');
      }
    });

    it('has a statement that verify-statement accepts, and whose changed copies it rejects', async () => {
      await saveKeys();
      const { code, json } = await gate('production', DIGEST, '--json');
      expect([code, json['outcome'], json['statement']]).toEqual([0, 'open', 'statement.json']);
      const valid = await verify('production', '--digest', DIGEST, '--commit', candidate, '--json');
      expect([valid.code, valid.json['decision_id'], valid.json['valid_until']]).toEqual([
        0,
        json['decision_id'],
        json['open_until'],
      ]);
      for (const other of [OF_TOOL, OF_NOTHING]) {
        expect(await verify('production', '--digest', other)).toMatchObject({
          code: 1,
          stdout: expect.stringContaining('NOT VALID: it is about another digest'),
        });
      }
      const file = path.join(folder, 'statement.json');
      const envelope = JSON.parse(readFileSync(file, 'utf8')) as { readonly payload: string };
      const payload = Buffer.from(envelope.payload, 'base64').toString('utf8');
      for (const [digest, changed] of [
        [OF_TOOL, payload.replace(DIGEST.slice('sha256:'.length), OF_TOOL.slice('sha256:'.length))],
        [DIGEST, payload.replace(/"validUntil":"\d/, '"validUntil":"9')],
      ] as const) {
        expect(changed).not.toBe(payload);
        writeFileSync(file, JSON.stringify({ ...envelope, payload: Buffer.from(changed).toString('base64') }));
        expect(await verify('production', '--digest', digest)).toMatchObject({
          code: 1,
          stdout: expect.stringContaining('NOT VALID: no signature'),
        });
      }
    });

    it('has a statement that the gate is closed, if the policy does not accept it', async () => {
      expect((await gate('production', OF_TOOL)).code).toBe(1);
      expect(await verify('production', '--digest', OF_TOOL)).toMatchObject({
        code: 1,
        stdout: expect.stringContaining('the gate was closed'),
      });
    });

    it('is deployed by the command, between reports with the digest, and ships the release', async () => {
      const { code, hasRun, reports } = await deploy('production', DIGEST);
      expect([code, hasRun]).toEqual([0, true]);
      expect(reports.map(({ status, digest }) => [status, digest])).toEqual([
        ['started', DIGEST],
        ['succeeded', DIGEST],
      ]);
      await env.waitUntilIdle();
      expect(await scenario.gate(VERSION)).toMatchObject({ current_stage: 'DEPLOYED' });
      expect(await env.asSuperuser('select kind, version, commit_sha, environment from deployment_record')).toEqual([
        { kind: 'release', version: VERSION, commit_sha: candidate, environment: 'production' },
      ]);
    });

    it('is in the reports of both steps of a pipeline, and another one ends nothing', async () => {
      const before = front.passed.length;
      const step = (...args: readonly string[]): Promise<ClientOutcome> =>
        run(['deployment', ...args, '--id', 'again', '--environment', 'production']);
      expect((await step('start', '--digest', OF_NOTHING)).code).toBe(1);
      expect((await step('start', '--digest', DIGEST)).code).toBe(0);
      expect((await step('finish', '--digest', OF_NOTHING, '--status', 'succeeded')).code).not.toBe(0);
      expect((await step('finish', '--digest', DIGEST, '--status', 'succeeded')).code).toBe(0);
      expect(reportsAfter(before).map(({ status, digest }) => [status, digest])).toEqual([
        ['started', DIGEST],
        ['succeeded', OF_NOTHING],
        ['succeeded', DIGEST],
      ]);
    });
  });
});
