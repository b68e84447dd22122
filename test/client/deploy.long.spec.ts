import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { keySecret } from '../../src/domain/keys/key-secret.js';
import { FakeHttpServer, type Reply } from '../support/fake-http-server.js';
import { givenSigner, givenStatement, STATED } from '../support/given-statement.js';
import { buildClient, clientCommand, type ClientOutcome, removeClient, shipgate } from './client-process.js';

const SHA = '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392';
const DIGEST = STATED.digest ?? '';
const RELEASE_ID = '6f0d1c9a-2b3c-4d5e-8f90-a1b2c3d4e5f6';
const GATE = 'GET /api/milestones/check';
const REPORT = 'POST /api/deployments';
const STATEMENT = `GET /api/milestones/${RELEASE_ID}/statement`;
const REASON = { code: 'frozen', actor: 'admin', detail: 'A freeze holds.' };

const gateAnswer = (canDeploy: boolean): Reply => ({
  json: {
    version: 'v1.0.0',
    current_stage: 'DEPLOYMENT',
    evidence_pr_approved: true,
    tests_passing: true,
    can_deploy: canDeploy,
    candidate_sha: SHA,
    decision_id: STATED.decisionId,
    release_id: RELEASE_ID,
    open_until: canDeploy ? STATED.openUntil : null,
    reasons: canDeploy ? [] : [REASON],
    overrides: [],
  },
});
const stored = (canDeploy = true): Reply => ({
  status: 201,
  json: {
    deploymentId: '1c7e0a3b-5d64-4a0f-9a57-2f8f0c6b1e42',
    kind: 'release',
    gate: { can_deploy: canDeploy, reasons: canDeploy ? [] : [REASON] },
  },
});

let server: FakeHttpServer;
let folder: string;

beforeAll(buildClient, 60_000);
afterAll(removeClient);
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'shipgate-deploy-'));
  server = await FakeHttpServer.start();
  server.on(GATE, gateAnswer(true));
  server.on(REPORT, stored());
});
afterEach(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const variables = (): Readonly<Record<string, string>> => ({
  SHIPGATE_URL: server.url,
  SHIPGATE_API_KEY: keySecret('sgk', new Uint8Array(32)),
  SHIPGATE_REPO: 'acme/payments',
  SHIPGATE_VERSION: 'v1.0.0',
});
const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<ClientOutcome> =>
  shipgate(args, { env: { ...variables(), ...env }, cwd: folder });
const deploy = (script: string, ...options: readonly string[]): Promise<ClientOutcome> =>
  run(['deploy', '--environment', 'production', '--sha', SHA, ...options, '--', 'sh', '-c', script]);
const reports = (): readonly Readonly<Record<string, unknown>>[] =>
  server.calls(REPORT).map(({ body }) => JSON.parse(body) as Readonly<Record<string, unknown>>);
const statuses = (): readonly unknown[] => reports().map(({ status }) => status);

describe('shipgate deploy', () => {
  it('runs the command between the reports of its start and of its end, with its own output', async () => {
    const { code, stdout, stderr } = await deploy('echo out; echo err >&2', '--digest', DIGEST);
    expect([code, stdout]).toEqual([0, 'out\n']);
    expect(stderr).toMatch(/^The gate is open: deployment cli-[0-9a-f]{32} to production\.\nerr\n$/);
    expect(Object.fromEntries(server.calls(GATE)[0]?.query ?? [])).toEqual({
      repo: 'acme/payments',
      version: 'v1.0.0',
      sha: SHA,
      environment: 'production',
      digest: DIGEST,
      explain: 'true',
    });
    const [started, ended] = reports();
    expect(started).toEqual({
      repo: 'acme/payments',
      environment: 'production',
      deployment: expect.stringMatching(/^cli-[0-9a-f]{32}$/),
      version: 'v1.0.0',
      commit_sha: SHA,
      digest: DIGEST,
      status: 'started',
    });
    expect(ended).toEqual({ ...started, status: 'succeeded' });
  });

  it('passes its input to the command', async () => {
    const args = ['deploy', '--environment', 'production', '--sha', SHA, '--', 'cat'];
    const { stdout } = await shipgate(args, { env: variables(), input: 'from a pipe' });
    expect(stdout).toBe('from a pipe');
  });

  it('passes options after -- to the command only', async () => {
    const args = ['deploy', '--environment', 'production', '--sha', SHA, '--', 'echo', '--json', '--help', '--', '-x'];
    const { code, stdout } = await run(args);
    expect([code, stdout]).toEqual([0, '--json --help -- -x\n']);
  });

  it.each([1, 7, 42])('ends with the exit code of the command: %i', async (expected) => {
    expect((await deploy(`exit ${expected}`)).code).toBe(expected);
    expect(statuses()).toEqual(['started', 'failed']);
  });

  it('tells a command that a signal ended as a shell does', async () => {
    expect((await deploy('kill -KILL $$')).code).toBe(137);
    expect(statuses()).toEqual(['started', 'failed']);
  });

  it.each([
    ['does not exist', ['./none.sh'], 127],
    ['cannot be executed', ['./plain.txt'], 126],
  ])('reports a command that %s as failed', async (_, command, expected) => {
    writeFileSync(path.join(folder, 'plain.txt'), 'text', { mode: 0o644 });
    const args = ['deploy', '--environment', 'production', '--sha', SHA, '--', ...command];
    expect((await run(args)).code).toBe(expected);
    expect(statuses()).toEqual(['started', 'failed']);
  });

  it('runs and reports nothing if the gate is closed', async () => {
    server.on(GATE, gateAnswer(false));
    const { code, stdout } = await deploy('touch deployed');
    expect([code, statuses()]).toEqual([1, []]);
    expect(stdout).toContain('A freeze holds.');
    expect(() => readFileSync(path.join(folder, 'deployed'))).toThrow('ENOENT');
  });

  it('runs nothing if the answer to the start says that the gate is closed, and reports that nothing was deployed', async () => {
    server.on(REPORT, stored(false));
    const { code, stdout } = await deploy('touch deployed');
    expect([code, statuses()]).toEqual([1, ['started', 'cancelled']]);
    expect(stdout).toContain('closed before the deployment started');
    expect(() => readFileSync(path.join(folder, 'deployed'))).toThrow('ENOENT');
  });

  it.each<[string, Reply, number]>([
    ['no JSON', { status: 201, text: 'ok' }, 3],
    ['no answer of the gate', { status: 201, json: { deploymentId: 'x' } }, 3],
    ['a text instead of a boolean', { status: 201, json: { gate: { can_deploy: 'true' } } }, 3],
    ['a conflict', { status: 409, json: { error: 'Another commit.' } }, 1],
    ['a missing scope', { status: 403, json: { error: 'No scope.' } }, 3],
    ['no such route', { status: 404, json: { error: 'Not found.' } }, 3],
    ['a failure', { status: 500, json: { error: 'Failed.' } }, 3],
    ['no answer', { fault: 'drop' }, 3],
  ])('runs nothing if the report of the start gets %s', async (_, reply, expected) => {
    server.on(REPORT, reply);
    const args = ['deploy', '--environment', 'production', '--sha', SHA, '--', 'touch', 'deployed'];
    expect((await run(args, { SHIPGATE_RETRY_FOR: '1s' })).code).toBe(expected);
    expect(() => readFileSync(path.join(folder, 'deployed'))).toThrow('ENOENT');
  });

  it('repeats a report whose answer was lost, with the same id', async () => {
    server.on(REPORT, { fault: 'drop' }, stored(), { fault: 'drop' }, { fault: 'drop' }, stored());
    expect((await deploy('exit 5')).code).toBe(5);
    expect(statuses()).toEqual(['started', 'started', 'failed', 'failed', 'failed']);
    expect(new Set(reports().map(({ deployment }) => deployment)).size).toBe(1);
  });

  it('keeps the exit code of the command if the end cannot be reported', async () => {
    server.on(REPORT, stored(), { status: 500, json: { error: 'Failed.' } });
    const args = ['deploy', '--environment', 'production', '--sha', SHA, '--', 'sh', '-c', 'exit 6'];
    const { code, stderr } = await run(args, { SHIPGATE_RETRY_FOR: '1s' });
    expect([code, stderr]).toEqual([6, expect.stringContaining('did not store that the deployment failed')]);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('forwards %s, and reports the end that follows', async (signal) => {
    // Not a shell: one that was started in the background cannot handle a signal that is ignored there.
    const script = `for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'])
        process.on(signal, () => { console.log('cleaned'); process.exit(9); });
      console.log('ready'); setTimeout(() => process.exit(1), 20000);`;
    const args = ['deploy', '--environment', 'production', '--sha', SHA, '--', process.execPath, '-e', script];
    const [node = '', bundle = ''] = clientCommand();
    const child = spawn(node, [bundle, ...args], {
      env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...variables() },
      stdio: 'pipe',
    });
    let stdout = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      if (stdout === 'ready\n') child.kill(signal);
    });
    const [code] = (await once(child, 'close')) as [number | null];
    expect([code, stdout, statuses()]).toEqual([9, 'ready\ncleaned\n', ['started', 'cancelled']]);
  });

  it('is another deployment each time, unless the id is given', async () => {
    await deploy('true');
    await deploy('true');
    await deploy('true', '--id', 'release-7');
    expect(new Set(reports().map(({ deployment }) => deployment)).size).toBe(3);
    expect(reports().at(-1)).toMatchObject({ deployment: 'release-7' });
  });

  it('writes the document of --json as the last line', async () => {
    const { code, stdout } = await deploy('echo out; exit 4', '--json');
    const [first, last = ''] = stdout.trimEnd().split('\n');
    expect([code, first]).toEqual([4, 'out']);
    expect(JSON.parse(last)).toMatchObject({
      command: 'deploy',
      outcome: 'failed',
      exit: 4,
      command_exit: 4,
      reported: true,
    });
  });

  it.each([
    [['--sha', SHA, '--', 'true'], 'The environment is missing.'],
    [['--environment', 'production', '--', 'true'], 'The commit is missing.'],
    [['--environment', 'production', '--sha', SHA], 'Write the command after --'],
    [['--environment', 'production', '--sha', SHA, '--'], 'Write the command after --'],
    [['--environment', 'production', '--sha', SHA, '--', ''], 'Write the command after --'],
    [['--environment', 'production', '--sha', SHA, './deploy.sh'], 'Write the command after --'],
    [['--environment', 'production', '--sha', SHA, '--digest', 'sha256:x', '--', 'true'], '--digest must be'],
  ])('%j is wrong use, and sends nothing', async (args, sentence) => {
    const { code, stderr } = await run(['deploy', ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
    expect(server.seen).toEqual([]);
  });
});

describe('shipgate deployment', () => {
  const JENKINS = {
    JENKINS_URL: 'https://ci.example/',
    BUILD_URL: 'https://ci.example/job/payments/7/',
    JOB_NAME: 'payments',
    STAGE_NAME: 'Deploy',
    GIT_COMMIT: SHA,
  };
  const step = (...args: readonly string[]): Promise<ClientOutcome> =>
    run(['deployment', ...args, '--environment', 'production'], JENKINS);

  it('prints an id that the end of the same job finds by itself', async () => {
    const { code, stdout } = await step('start');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^job-[0-9a-f]{32}\n$/)]);
    expect((await step('finish', '--status', 'succeeded')).code).toBe(0);
    const [started, ended] = reports();
    expect(started).toMatchObject({ deployment: stdout.trim(), run_url: JENKINS.BUILD_URL, commit_sha: SHA });
    expect(ended).toMatchObject({ deployment: stdout.trim(), status: 'succeeded', commit_sha: SHA });
    await run(['deployment', 'start', '--environment', 'production'], {
      ...JENKINS,
      BUILD_URL: `${JENKINS.BUILD_URL}8/`,
    });
    expect(reports()[2]?.['deployment']).not.toBe(stdout.trim());
  });

  it('ends with 1 and reports nothing if the gate is closed', async () => {
    server.on(GATE, gateAnswer(false));
    expect([(await step('start', '--id', 'x')).code, statuses()]).toEqual([1, []]);
  });

  it('ends with 1 if the gate closes before the start is stored', async () => {
    server.on(REPORT, stored(false));
    expect([(await step('start', '--id', 'x')).code, statuses()]).toEqual([1, ['started', 'cancelled']]);
  });

  it('ends with 1 if the end is rejected', async () => {
    server.on(REPORT, { status: 409, json: { error: 'The deployment has ended otherwise.' } });
    const { code, stderr } = await step('finish', '--id', 'x', '--status', 'failed');
    expect([code, stderr]).toEqual([1, expect.stringContaining('has ended otherwise')]);
  });

  it.each([
    [['finish', '--id', 'x'], '--status must be'],
    [['finish', '--id', 'x', '--status', 'done'], '--status must be'],
    [['start', '--id', 'x', '--status', 'failed'], '--status is for'],
    [['stop'], 'Use `shipgate deployment start`'],
  ])('%j is wrong use', async (args, sentence) => {
    const { code, stderr } = await step(...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
  });

  it('needs the id of the start outside of a known CI system', async () => {
    const args = ['deployment', 'finish', '--environment', 'production', '--sha', SHA, '--status', 'failed'];
    expect(await run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining('Use --id') });
  });
});

describe('shipgate running', () => {
  const RUNNING = 'PUT /api/environments/eu%20production/running';
  const state = (...args: readonly string[]): Promise<ClientOutcome> =>
    run(['running', '--environment', 'eu production', ...args]);

  it('states all artifacts, also with a registry in their names', async () => {
    server.on(RUNNING, { status: 200, json: {} });
    const { code, stdout } = await state(`api@${DIGEST}`, `registry.example:5000/acme/web@${DIGEST}`);
    expect([code, stdout]).toEqual([0, 'Stored: 2 artifacts run in eu production.\n']);
    expect(JSON.parse(server.calls(RUNNING)[0]?.body ?? '')).toEqual({
      repo: 'acme/payments',
      artifacts: [
        { name: 'api', digest: DIGEST },
        { name: 'registry.example:5000/acme/web', digest: DIGEST },
      ],
    });
  });

  it('states that nothing runs only if it is said', async () => {
    server.on(RUNNING, { status: 200, json: {} });
    expect((await state()).code).toBe(2);
    expect((await state('--nothing')).code).toBe(0);
    expect((await state('--nothing', `api@${DIGEST}`)).code).toBe(2);
    expect(server.calls(RUNNING).map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { repo: 'acme/payments', artifacts: [] },
    ]);
  });

  it.each(['api', 'api@sha256:abc', `@${DIGEST}`, 'api:v1'])('rejects %s, which is no artifact', async (operand) => {
    expect(await state(operand)).toMatchObject({ code: 2, stderr: expect.stringContaining('is not an artifact') });
  });

  it('is unknown if the service has no such environment', async () => {
    server.on(RUNNING, { status: 404, json: { error: 'No such environment.' } });
    expect((await state(`api@${DIGEST}`)).code).toBe(3);
  });
});

describe('shipgate upload --artifact', () => {
  const ARTIFACTS = 'POST /api/artifacts';
  const upload = (...args: readonly string[]): Promise<ClientOutcome> =>
    run(['upload', '--artifact', `api@${DIGEST}`, '--commit', SHA, ...args]);

  it('sends the artifact with the bundle as it is', async () => {
    server.on(ARTIFACTS, { status: 201, json: { artifactId: 'a1', binding: 'pending' } });
    writeFileSync(path.join(folder, 'bundle.json'), '{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json"}');
    const { code, stdout } = await upload('--attestation', 'bundle.json');
    expect([code, stdout]).toEqual([0, 'Stored: api of v1.0.0, bound to its commit by: pending\n']);
    expect(JSON.parse(server.calls(ARTIFACTS)[0]?.body ?? '')).toEqual({
      repo: 'acme/payments',
      version: 'v1.0.0',
      name: 'api',
      digest: DIGEST,
      commit_sha: SHA,
      bundle: { mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json' },
    });
  });

  it('ends with 1 if the service rejects it', async () => {
    server.on(ARTIFACTS, { status: 422, json: { error: 'A key without a bundle binds nothing.' } });
    expect(await upload()).toMatchObject({ code: 1, stderr: expect.stringContaining('binds nothing') });
  });

  it('rejects a file that is not one bundle, and reports beside an artifact', async () => {
    writeFileSync(path.join(folder, 'lines.jsonl'), '{}\n{}\n');
    for (const args of [['--attestation', 'lines.jsonl'], ['--attestation', 'none.json'], ['junit.xml']]) {
      expect((await upload(...args)).code).toBe(2);
    }
    expect((await run(['upload', '--attestation', 'lines.jsonl'])).code).toBe(2);
    expect(server.seen).toEqual([]);
  });
});

describe('shipgate gate --statement', () => {
  const signer = givenSigner();
  const gate = (...args: readonly string[]): Promise<ClientOutcome> =>
    run(['gate', '--sha', SHA, '--statement', 'statement.json', ...args]);
  const verify = (...args: readonly string[]): Promise<ClientOutcome> => {
    const key = signer.publicKey.export({ type: 'spki', format: 'pem' });
    writeFileSync(path.join(folder, 'key.pem'), key);
    const resource = `${STATED.service}/repositories/4001/environments/production`;
    const expected = ['--key', 'key.pem', '--resource', resource, '--verifier', STATED.service];
    return run(['verify-statement', 'statement.json', ...expected, ...args], {
      SHIPGATE_URL: '',
      SHIPGATE_API_KEY: '',
    });
  };

  it('writes the statement, which verify-statement accepts and whose altered copy it rejects', async () => {
    server.on(STATEMENT, { json: givenStatement(signer) });
    const { code } = await gate('--digest', DIGEST, '--environment', 'production');
    expect(code).toBe(0);
    expect(Object.fromEntries(server.calls(STATEMENT)[0]?.query ?? [])).toEqual({
      digest: DIGEST,
      environment: 'production',
    });
    const at = ['--at', '2026-05-04T10:10:00Z'];
    expect(await verify('--digest', DIGEST, ...at)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^VALID/) });
    expect((await verify('--commit', SHA, '--json', ...at)).json).toMatchObject({
      outcome: 'valid',
      key_id: signer.keyId,
    });
    expect(await verify('--digest', DIGEST)).toMatchObject({ code: 1, stdout: expect.stringContaining('valid until') });
    expect((await verify(...at)).code).toBe(2);
    const file = path.join(folder, 'statement.json');
    const statement = JSON.parse(readFileSync(file, 'utf8')) as { readonly payload: string };
    const payload = Buffer.from(statement.payload, 'base64').toString().replace(SHA, 'f'.repeat(40));
    writeFileSync(file, JSON.stringify({ ...statement, payload: Buffer.from(payload).toString('base64') }));
    expect(await verify('--digest', DIGEST, ...at)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('NOT VALID: no signature'),
    });
  });

  it('ends with 1 if the gate closed before the statement was signed', async () => {
    server.on(STATEMENT, { json: givenStatement(signer, { isOpen: false }) });
    expect(await gate()).toMatchObject({ code: 1, stdout: expect.stringContaining('closed while') });
  });

  it.each<[Reply]>([[{ json: { payload: 7 } }], [{ json: [] }], [{ status: 404, json: { error: 'None.' } }]])(
    'is unknown without a statement: %j',
    async (reply) => {
      server.on(STATEMENT, reply);
      expect((await gate()).code).toBe(3);
      expect(() => readFileSync(path.join(folder, 'statement.json'))).toThrow('ENOENT');
    },
  );

  it('stays closed if there is nothing to state', async () => {
    server.on(GATE, gateAnswer(false));
    server.on(STATEMENT, { status: 409, json: { error: 'There is no candidate.' } });
    expect((await gate()).code).toBe(1);
  });
});
