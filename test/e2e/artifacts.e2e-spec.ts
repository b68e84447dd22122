import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTrustedKeys, verifyPack } from '../../src/client/verify-pack/verify-pack.js';
import { verifyStatement } from '../../src/client/verify-statement/verify-statement.js';
import { sha256 } from '../../src/crypto/digests.js';
import { JOB_TABLE } from '../../src/database/job-tables.js';
import { GateService } from '../../src/features/releases/gate/gate.service.js';
import { type GateAnswer, type RunSpec } from '../support/ci-run-client.js';
import {
  createBundle,
  createSigstoreInstance,
  type Extensions,
  type SigstoreInstance,
  toStatement,
} from '../support/sigstore-instance.js';
import { replayStoredDecisions } from '../support/stored-decisions.js';
import { readZip } from '../support/read-zip.js';
import { TestEnvironment } from '../support/test-environment.js';
import { signIn, type UserSession } from '../support/user-session.js';
import { codesOf, PLAIN_POLICY, RepositoryScenario } from './scenarios/repository-scenario.js';

const POLICY = `${PLAIN_POLICY}  testing: { required_artifacts: [{ name: api }] }\n`;
const DIGEST = `sha256:${'a'.repeat(64)}`;
const OTHER = `sha256:${'b'.repeat(64)}`;

type Body = Readonly<Record<string, unknown>>;
interface Answer {
  readonly status: number;
  readonly body: Body;
}

describe('artifacts', () => {
  let folder: string;
  let instance: SigstoreInstance;
  let foreign: SigstoreInstance;
  let env: TestEnvironment;
  let member: UserSession;
  let scenarios = 0;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'roots-'));
    instance = await createSigstoreInstance('private');
    foreign = await createSigstoreInstance('private');
    writeFileSync(join(folder, 'root.json'), JSON.stringify(instance.trustedRoot));
    env = await TestEnvironment.start({ BILLING: 'off', TRUSTED_ROOTS: folder, OUTGOING_ALLOWED: '127.0.0.1' });
    await env.install();
    member = await signIn(env, env.github.createUser({ login: 'mona' }));
  });
  afterAll(async () => {
    await env.stop();
    rmSync(folder, { recursive: true });
  });
  afterEach(() => expect(env.violations).toEqual([]));

  /** Returns a repository with a release whose tests pass, and its candidate. */
  async function givenRelease(
    version = 'v1.0.0',
    sdlc = POLICY,
  ): Promise<{ scenario: RepositoryScenario; sha: string }> {
    scenarios += 1;
    const scenario = new RepositoryScenario(env, { name: `api-${scenarios}`, sdlc, private: false });
    return { scenario, sha: await scenario.evidencing(version) };
  }

  async function send(bearer: string, body: object | string): Promise<Answer> {
    const response = await fetch(`${await env.app.getUrl()}/api/artifacts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Body };
  }

  const statement = (scenario: RepositoryScenario, more: object = {}): object => ({
    repo: scenario.repository.fullName,
    version: 'v1.0.0',
    name: 'api',
    digest: DIGEST,
    ...more,
  });

  /** The bundle of a build of the commit by GitHub Actions. */
  const bundleOf = (
    scenario: RepositoryScenario,
    sha: string,
    extensions: Extensions = {},
    { digest = DIGEST, by = instance } = {},
  ): Promise<object> =>
    createBundle(by, {
      digest,
      extensions: {
        8: env.issuer.url,
        13: sha,
        15: String(scenario.repository.id),
        21: `https://github.com/${scenario.repository.fullName}/actions/runs/7000/attempts/1`,
        ...extensions,
      },
    });

  async function state(
    scenario: RepositoryScenario,
    sha: string,
    more: object = {},
    run: Partial<RunSpec> = {},
  ): Promise<Answer> {
    const answer = await send(await scenario.run(sha, run).token(), statement(scenario, more));
    await env.waitUntilIdle();
    return answer;
  }

  async function releaseId(scenario: RepositoryScenario): Promise<string> {
    const [release] = await env.asSuperuser<{ id: string }>(
      `select id from release where repository_id = '${await scenario.repositoryId()}' and version = 'v1.0.0'`,
    );
    return release?.id ?? '';
  }

  async function listed(scenario: RepositoryScenario): Promise<readonly Body[]> {
    const { body } = await member.get(`/api/milestones/${await releaseId(scenario)}/artifacts`);
    return body['artifacts'] as readonly Body[];
  }

  async function ask(
    scenario: RepositoryScenario,
    query: Readonly<Record<string, string>>,
  ): Promise<{ status: number; body: GateAnswer }> {
    const search = new URLSearchParams({ repo: scenario.repository.fullName, ...query });
    const response = await fetch(`${await env.app.getUrl()}/api/milestones/check?${search.toString()}`, {
      headers: { authorization: `Bearer ${await scenario.run(scenario.head()).token()}` },
    });
    return { status: response.status, body: (await response.json()) as GateAnswer };
  }

  it('open the gate of their digest after the evidence was approved, and no other digest', async () => {
    const { scenario, sha } = await givenRelease();
    expect(codesOf(await scenario.gate('v1.0.0'))).toEqual(['artifact_missing']);
    const answer = await state(scenario, sha, { bundle: await bundleOf(scenario, sha) });
    expect(answer).toEqual({ status: 201, body: { artifactId: expect.any(String) as unknown, binding: 'pending' } });
    expect(await listed(scenario)).toMatchObject([
      {
        id: answer.body['artifactId'],
        binding: 'provenance',
        accepted: true,
        bundles: [{ status: 'verified', reason: null, provenance: { sourceSha: sha, runId: '7000' } }],
      },
    ]);
    expect((await scenario.gate('v1.0.0')).can_deploy).toBe(false);
    expect(JSON.parse(scenario.evidenceFile('v1.0.0', 'evidence.json'))).toMatchObject({
      artifacts: [{ name: 'api', digest: DIGEST }],
    });
    expect(scenario.evidenceFile('v1.0.0', 'EVIDENCE.md')).toContain(DIGEST);
    scenario.approve('v1.0.0');
    await env.waitUntilIdle();
    for (const explain of ['true', 'false']) {
      expect(await ask(scenario, { digest: DIGEST, explain })).toMatchObject({
        status: 200,
        body: { version: 'v1.0.0', can_deploy: true },
      });
      expect((await ask(scenario, { digest: DIGEST, version: 'v1.0.0', explain })).body.can_deploy).toBe(true);
      expect((await ask(scenario, { digest: OTHER, version: 'v1.0.0', explain })).body.can_deploy).toBe(false);
      expect((await ask(scenario, { digest: OTHER, explain })).status).toBe(404);
    }
    expect(codesOf((await ask(scenario, { digest: OTHER, version: 'v1.0.0', explain: 'true' })).body)).toEqual([
      'not_the_candidate',
    ]);
    expect((await ask(scenario, {})).status).toBe(400);
    expect((await ask(scenario, { digest: 'sha256:1' })).status).toBe(400);
    await scenario.deploy(sha);
    expect((await ask(scenario, { digest: DIGEST })).body).toMatchObject({
      current_stage: 'DEPLOYED',
      can_deploy: true,
    });
    expect((await ask(scenario, { digest: OTHER, version: 'v1.0.0' })).body.can_deploy).toBe(false);
    expect((await state(scenario, sha, { digest: OTHER })).status).toBe(409);
  });

  it('are stated as PASSED exactly while the gate of their digest is open, with their bundles', async () => {
    const { scenario, sha } = await givenRelease();
    const id = await releaseId(scenario);
    const keys = readTrustedKeys(await (await fetch(`${env.baseUrl}/api/statement-keys`)).text()) ?? [];
    const bundle = await bundleOf(scenario, sha);
    const resource = `${env.baseUrl}/repositories/${scenario.repository.id}/environments/production`;
    /** The bytes of the statement; fails if it says more than the gate. */
    const statementOf = async (digest: string, isOpen: boolean): Promise<Buffer> => {
      const gate = await ask(scenario, { version: 'v1.0.0', digest, explain: 'true' });
      expect([digest, gate.body.can_deploy]).toEqual([digest, isOpen]);
      const response = await fetch(`${env.baseUrl}/api/milestones/${id}/statement?digest=${digest}`, {
        headers: { authorization: `Bearer ${await scenario.run(scenario.head()).token()}` },
      });
      const bytes = Buffer.from(await response.arrayBuffer());
      const { payload } = JSON.parse(bytes.toString()) as { readonly payload: string };
      const { predicate } = JSON.parse(Buffer.from(payload, 'base64').toString()) as { readonly predicate: Body };
      expect([response.status, predicate['verificationResult']]).toEqual([200, isOpen ? 'PASSED' : 'FAILED']);
      expect(predicate['inputAttestations']).toEqual(
        (await listed(scenario)).flatMap((one) =>
          one['digest'] === digest && one['accepted'] === true
            ? [{ digest: { sha256: sha256(JSON.stringify(bundle)) } }]
            : [],
        ),
      );
      const expected = { commit: sha, resource, verifier: env.baseUrl, keys, at: env.clock.now() };
      expect(verifyStatement(bytes, { ...expected, digest }).isValid).toBe(isOpen);
      expect(verifyStatement(bytes, { ...expected, digest: digest === DIGEST ? OTHER : DIGEST }).isValid).toBe(false);
      return bytes;
    };
    await statementOf(DIGEST, false);
    await state(scenario, sha, { bundle });
    await statementOf(DIGEST, false);
    scenario.approve('v1.0.0');
    await env.waitUntilIdle();
    await statementOf(DIGEST, true);
    await statementOf(OTHER, false);
    const [milestone] = scenario.repository.milestones.list();
    scenario.repository.milestones.edit(milestone!, { title: 'v9.0.0' });
    await env.waitUntilIdle();
    const renamed = await fetch(`${env.baseUrl}/api/milestones/${id}/statement?digest=${DIGEST}`, {
      headers: { authorization: `Bearer ${await scenario.run(scenario.head()).token()}` },
    });
    expect(Buffer.from(((await renamed.json()) as { payload: string }).payload, 'base64').toString()).toContain(
      '"FAILED"',
    );
    scenario.repository.milestones.edit(milestone!, { title: 'v1.0.0' });
    await env.waitUntilIdle();
    await scenario.deploy(sha);
    await statementOf(DIGEST, true);
    await statementOf(OTHER, false);
    await replayStoredDecisions(env);
  });

  it('lead a reported deployment to their commit, and govern it only while the gate of the digest is open', async () => {
    const { scenario, sha } = await givenRelease();
    const key = await env.key(['deployment:write']);
    const report = async (deployment: string, status: string, more: object): Promise<Answer & { code: unknown }> => {
      const response = await fetch(`${await env.app.getUrl()}/api/deployments`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          repo: scenario.repository.fullName,
          environment: 'production',
          deployment,
          status,
          ...more,
        }),
      });
      const body = (await response.json()) as Body;
      return { status: response.status, body, code: response.headers.get('x-error-code') };
    };
    expect((await report('d0', 'started', { digest: DIGEST })).status).toBe(404);
    await state(scenario, sha, { bundle: await bundleOf(scenario, sha) });
    scenario.approve('v1.0.0');
    await env.waitUntilIdle();
    expect((await report('d1', 'started', { digest: OTHER })).status).toBe(404);
    expect((await report('d1', 'started', { digest: OTHER, version: 'v1.0.0' })).status).toBe(404);
    expect((await report('d1', 'started', { digest: DIGEST, commit_sha: 'ab'.repeat(20) })).status).toBe(409);
    // A digest of the same release that the policy does not name.
    expect((await state(scenario, sha, { name: 'tool', digest: OTHER })).status).toBe(201);
    expect((await scenario.gate('v1.0.0')).can_deploy).toBe(true);
    expect(await report('d2', 'started', { digest: OTHER })).toMatchObject({
      status: 201,
      body: { kind: 'ungoverned', gate: { can_deploy: false, reasons: [{ code: 'not_the_candidate' }] } },
    });
    expect(await report('d3', 'started', { digest: DIGEST })).toMatchObject({
      status: 201,
      body: { kind: 'release', gate: { can_deploy: true, reasons: [] } },
    });
    expect((await report('d3', 'succeeded', { digest: DIGEST, commit_sha: 'ab'.repeat(20) })).status).toBe(409);
    expect(await report('d2', 'succeeded', { digest: OTHER })).toMatchObject({
      status: 201,
      body: { kind: 'ungoverned' },
    });
    expect(await report('d3', 'succeeded', { digest: DIGEST })).toMatchObject({
      status: 201,
      body: { kind: 'release' },
    });
    expect((await ask(scenario, { digest: DIGEST })).body.current_stage).toBe('DEPLOYED');
  });

  it('are found by every kind of caller, also in many requests at once', async () => {
    const { scenario, sha } = await givenRelease();
    await state(scenario, sha, { bundle: await bundleOf(scenario, sha) });
    scenario.approve('v1.0.0');
    await env.waitUntilIdle();
    const [key, token] = [await env.key(), await scenario.run(sha).token()];
    const url = `${await env.app.getUrl()}/api/milestones/check?`;
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, at) => {
        const digest = at % 2 === 0 ? DIGEST : OTHER;
        const query = new URLSearchParams({
          repo: scenario.repository.name,
          digest,
          ...(at % 3 === 0 && { version: 'v1.0.0' }),
        });
        const response = await fetch(`${url}${query.toString()}`, {
          headers: { authorization: `Bearer ${at % 5 < 2 ? key : token}` },
        });
        const { can_deploy: canDeploy } = (await response.json()) as Partial<GateAnswer>;
        return [response.status, canDeploy];
      }),
    );
    expect(answers).toEqual(
      answers.map((_, at) => (at % 2 === 0 ? [200, true] : at % 3 === 0 ? [200, false] : [404, undefined])),
    );
    const viewer = { orgId: await env.orgId(), userId: member.user.id };
    const request = { owner: null, repository: scenario.repository.name, sha: null, environment: null, explain: true };
    const gates = env.app.get(GateService);
    for (const version of [null, 'v1.0.0']) {
      expect((await gates.checkForViewer(viewer, { ...request, version, digest: DIGEST })).canDeploy).toBe(true);
    }
    expect((await gates.checkForViewer(viewer, { ...request, version: 'v1.0.0', digest: OTHER })).canDeploy).toBe(
      false,
    );
    await expect(gates.checkForViewer(viewer, { ...request, version: null, digest: OTHER })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('lead to no release of another repository', async () => {
    const { scenario, sha } = await givenRelease();
    await state(scenario, sha, { bundle: await bundleOf(scenario, sha) });
    scenario.approve('v1.0.0');
    await env.waitUntilIdle();
    const { scenario: other } = await givenRelease();
    expect((await ask(other, { digest: DIGEST })).status).toBe(404);
    const own = await ask(other, { version: 'v1.0.0', digest: DIGEST });
    expect([own.status, own.body.can_deploy]).toEqual([200, false]);
    expect((await ask(scenario, { digest: DIGEST })).body.can_deploy).toBe(true);
  });

  it('lead to the only release that has not shipped, else to the last that shipped', async () => {
    const { scenario, sha } = await givenRelease();
    const bundle = await bundleOf(scenario, sha);
    await state(scenario, sha, { bundle });
    scenario.approve('v1.0.0');
    await env.waitUntilIdle();
    await scenario.deploy(sha);
    expect((await ask(scenario, { digest: DIGEST })).body).toMatchObject({ version: 'v1.0.0', can_deploy: true });
    scenario.milestone('v1.1.0');
    scenario.milestone('v1.2.0');
    await env.waitUntilIdle();
    expect((await state(scenario, sha, { version: 'v1.1.0', bundle })).status).toBe(201);
    expect((await ask(scenario, { digest: DIGEST })).body).toMatchObject({ version: 'v1.1.0', can_deploy: false });
    expect((await state(scenario, sha, { version: 'v1.2.0', bundle })).status).toBe(201);
    expect((await ask(scenario, { digest: DIGEST })).status).toBe(404);
  });

  it('are in the audit pack with their bundles, and its decisions follow from them', async () => {
    const { scenario, sha } = await givenRelease();
    const bundle = await bundleOf(scenario, sha);
    await state(scenario, sha, { bundle });
    const url = `${await env.app.getUrl()}/api/milestones/${await releaseId(scenario)}/audit-pack`;
    const response = await fetch(url, { headers: { cookie: member.cookie } });
    const bytes = Buffer.from(await response.arrayBuffer());
    const files = await readZip(bytes);
    const [artifact] = JSON.parse(String(files.get('artifacts.json'))) as readonly {
      readonly bundles: readonly { readonly sha256: string }[];
    }[];
    const digest = artifact?.bundles[0]?.sha256 ?? '';
    expect(sha256(files.get(`bundles/${digest}`) ?? '')).toBe(digest);
    expect(JSON.parse(String(files.get(`bundles/${digest}`)))).toEqual(bundle);
    const pack = join(folder, '..', `${String(scenario.repository.id)}.zip`);
    writeFileSync(pack, bytes);
    const lines: string[] = [];
    expect([await verifyPack(pack, null, (line) => lines.push(line)), lines.join('\n')]).toEqual([
      'intact',
      expect.anything(),
    ]);
    rmSync(pack);
  });

  it('of another digest void the approval', async () => {
    const { scenario, sha } = await givenRelease();
    await state(scenario, sha, { bundle: await bundleOf(scenario, sha) });
    scenario.approve('v1.0.0');
    await env.waitUntilIdle();
    expect((await scenario.gate('v1.0.0')).can_deploy).toBe(true);
    const run = { 21: `https://github.com/${scenario.repository.fullName}/actions/runs/7001/attempts/1` };
    await state(scenario, sha, { digest: OTHER, bundle: await bundleOf(scenario, sha, run, { digest: OTHER }) });
    expect((await scenario.gate('v1.0.0')).can_deploy).toBe(false);
    expect((await ask(scenario, { digest: OTHER })).body.can_deploy).toBe(false);
  });

  it('are stated once, whichever token repeats the statement', async () => {
    const { scenario, sha } = await givenRelease();
    const bundle = await bundleOf(scenario, sha);
    const run = scenario.run(sha);
    const first = await send(await run.token(), statement(scenario, { bundle }));
    const again = await send(await run.token(), statement(scenario, { bundle }));
    expect([first.status, again.status, again.body['artifactId']]).toEqual([201, 200, first.body['artifactId']]);
    await env.waitUntilIdle();
    expect(await send(await run.token(), statement(scenario))).toMatchObject({
      status: 200,
      body: { binding: 'provenance' },
    });
    expect((await listed(scenario)).length).toBe(1);
  });

  it.each<[string, Extensions | { readonly by: 'foreign' } | { readonly digest: string }, RegExp]>([
    ['another repository', { 15: '4' }, /repository with the id 4/],
    ['another issuer', { 8: 'https://token.actions.githubusercontent.com' }, /Its issuer is/],
    ['an issuer with a suffix', { 8: 'suffix' }, /Its issuer is/],
    ['a pull request', { 20: 'pull_request' }, /"pull_request"/],
    ['a missing extension', { 15: null }, /57264\.1\.15/],
    ['another root', { by: 'foreign' }, /No trusted root accepts it/],
    ['another digest', { digest: OTHER }, /among its subjects/],
  ])('are held by a bundle of %s', async (_, change, reason) => {
    const { scenario, sha } = await givenRelease();
    const extensions: Extensions = 'by' in change || 'digest' in change ? {} : change;
    const issuer = extensions[8] === 'suffix' ? { 8: `${env.issuer.url}/acme` } : {};
    const options = {
      digest: 'digest' in change ? (change.digest ?? DIGEST) : DIGEST,
      by: 'by' in change ? foreign : instance,
    };
    await state(scenario, sha, { bundle: await bundleOf(scenario, sha, { ...extensions, ...issuer }, options) });
    expect(codesOf(await scenario.gate('v1.0.0'))).toEqual(['provenance_invalid']);
    expect(await listed(scenario)).toMatchObject([
      {
        binding: 'run',
        accepted: false,
        bundles: [{ status: 'invalid', reason: expect.stringMatching(reason) as unknown }],
      },
    ]);
  });

  it.each<[string, Extensions, string]>([
    ['another commit', { 13: 'd'.repeat(40) }, 'provenance_invalid'],
    ['a self-hosted runner', { 11: 'self-hosted' }, 'provenance_invalid'],
  ])('are held by a verified build of %s', async (_, extensions, code) => {
    const { scenario, sha } = await givenRelease();
    await state(scenario, sha, { bundle: await bundleOf(scenario, sha, extensions) });
    expect(codesOf(await scenario.gate('v1.0.0'))).toEqual([code]);
    expect(await listed(scenario)).toMatchObject([{ binding: 'provenance', accepted: false }]);
  });

  it('without provenance are held by a policy that requires it', async () => {
    const { scenario, sha } = await givenRelease();
    expect((await state(scenario, sha)).body['binding']).toBe('run');
    expect(codesOf(await scenario.gate('v1.0.0'))).toEqual(['provenance_missing']);
  });

  it('of a key need a bundle, which binds them to the commit of the build', async () => {
    const { scenario, sha } = await givenRelease();
    const key = await env.key();
    expect((await send(key, statement(scenario))).status).toBe(422);
    expect((await send(key, statement(scenario, { bundle: 'text' }))).status).toBe(400);
    expect((await send(key, statement(scenario, { bundle: [] }))).status).toBe(400);
    expect((await send(await env.key(['gate:read']), statement(scenario, { bundle: {} }))).status).toBe(403);
    await send(key, statement(scenario, { bundle: await bundleOf(scenario, sha) }));
    await env.waitUntilIdle();
    expect(await listed(scenario)).toMatchObject([{ binding: 'provenance', accepted: true, runId: null }]);
  });

  it('are not stated by runs of pull requests or of other repositories', async () => {
    const { scenario, sha } = await givenRelease(
      'v1.0.0',
      `${POLICY}evidence_events: [pull_request, pull_request_target]\n`,
    );
    for (const event of ['pull_request', 'pull_request_target', 'issue_comment']) {
      expect((await state(scenario, sha, {}, { event })).status).toBe(403);
    }
    const other = await givenRelease();
    expect((await send(await other.scenario.run(other.sha).token(), statement(scenario))).status).toBe(404);
    expect((await state(scenario, sha, { version: 'v9.0.0' })).status).toBe(404);
    expect((await state(scenario, sha, { digest: DIGEST.toUpperCase() })).status).toBe(400);
    expect(await listed(scenario)).toEqual([]);
  });

  it('are at most 50 of one identity token, without repetitions', async () => {
    const { scenario, sha } = await givenRelease();
    const token = await scenario.run(sha).token();
    const named = (index: number): object => statement(scenario, { name: `part-${index}` });
    for (let index = 0; index < 50; index += 1) expect((await send(token, named(index))).status).toBe(201);
    expect(await send(token, named(50))).toMatchObject({ status: 429 });
    expect((await send(token, named(49))).status).toBe(200);
    const other = await scenario.run(sha).token();
    expect((await send(other, named(50))).status).toBe(201);
  });

  it('keep the bytes of a bundle as they were sent', async () => {
    const { scenario, sha } = await givenRelease();
    const bundle = JSON.stringify(await bundleOf(scenario, sha), null, 2);
    const body = JSON.stringify(statement(scenario)).replace(/}$/, `, "bundle" : ${bundle} }`);
    expect((await send(await scenario.run(sha).token(), body)).status).toBe(201);
    await env.waitUntilIdle();
    const [stored] = await env.asSuperuser<{ readonly text: string; readonly sha256: string; readonly status: string }>(
      `select convert_from(b.bytes, 'UTF8') as text, b.sha256, b.status from artifact_bundle b
       where b.repository_id = '${await scenario.repositoryId()}'`,
    );
    expect(stored).toEqual({ text: bundle, sha256: sha256(bundle), status: 'verified' });
  });

  it('have limits', async () => {
    const { scenario, sha } = await givenRelease();
    const token = await scenario.run(sha).token();
    expect((await send(token, statement(scenario, { bundle: { x: 'x'.repeat(1_048_576) } }))).status).toBe(413);
    expect((await send(token, statement(scenario, { more: 'x'.repeat(2_000_000) }))).status).toBe(413);
    for (let at = 0; at < 20; at += 1) {
      expect((await send(token, statement(scenario, { bundle: { at } }))).status).toBe(201);
    }
    expect((await send(token, statement(scenario, { bundle: { at: 20 } }))).status).toBe(413);
    await env.waitUntilIdle();
  });

  describe('with attestations at GitHub', () => {
    const SEARCHES = /GET \/repos\/[^/]+\/[^/]+\/attestations/;
    const bundlesOf = async (scenario: RepositoryScenario): Promise<readonly Body[]> =>
      (await listed(scenario)).flatMap(({ bundles }) => bundles as readonly Body[]);
    const waiting = async (): Promise<number> =>
      (await env.asSuperuser(`select from ${JOB_TABLE} where key like 'find-attestations:%'`)).length;
    const deleteSearches = async (): Promise<unknown> =>
      env.asSuperuser(`select graphile_worker.remove_job(key) from ${JOB_TABLE} where key like 'find-attestations:%'`);

    beforeEach(deleteSearches);
    afterEach(() => env.github.faults.clear());

    it.each([
      ['in its list', false],
      ['at an address', true],
    ])('are accepted with a bundle that GitHub has %s', async (_, isApart) => {
      const { scenario, sha } = await givenRelease();
      const bundle = await bundleOf(scenario, sha);
      scenario.repository.attestations.add({ digest: DIGEST, bundle, isApart });
      expect((await state(scenario, sha)).body['binding']).toBe('run');
      expect(await listed(scenario)).toMatchObject([
        { binding: 'provenance', accepted: true, bundles: [{ status: 'verified', provenance: { sourceSha: sha } }] },
      ]);
      scenario.approve('v1.0.0');
      await env.waitUntilIdle();
      expect((await ask(scenario, { digest: DIGEST })).body.can_deploy).toBe(true);
      expect(await waiting()).toBe(0);
    });

    it('are accepted when the attestation comes after them', async () => {
      const { scenario, sha } = await givenRelease();
      await state(scenario, sha);
      expect(codesOf(await scenario.gate('v1.0.0'))).toEqual(['provenance_missing']);
      expect(await waiting()).toBe(1);
      scenario.repository.attestations.add({ digest: DIGEST, bundle: await bundleOf(scenario, sha) });
      await env.hurry();
      expect(await bundlesOf(scenario)).toMatchObject([{ status: 'verified' }]);
      expect(await waiting()).toBe(0);
    });

    it('are searched five times, and again if they are stated again', async () => {
      const { scenario, sha } = await givenRelease();
      const count = (): number =>
        env.exchanges.filter(({ path }) => path.includes(`/${scenario.repository.name}/attestations/`)).length;
      const run = scenario.run(sha);
      await send(await run.token(), statement(scenario));
      await env.waitUntilIdle();
      for (let rounds = 0; rounds < 6; rounds += 1) await env.hurry();
      expect([count(), await waiting()]).toEqual([5, 0]);
      scenario.repository.attestations.add({ digest: DIGEST, bundle: await bundleOf(scenario, sha) });
      expect((await send(await run.token(), statement(scenario))).status).toBe(200);
      await env.waitUntilIdle();
      expect(await bundlesOf(scenario)).toMatchObject([{ status: 'verified' }]);
    });

    it.each<[string, Extensions | { readonly by: 'foreign' }, RegExp]>([
      ['another repository', { 15: '4' }, /repository with the id 4/],
      ['a pull request', { 20: 'pull_request' }, /"pull_request"/],
      ['another root', { by: 'foreign' }, /No trusted root accepts it/],
    ])('are held by a bundle of %s, also beside a verified one', async (_, change, reason) => {
      const { scenario, sha } = await givenRelease();
      const bundle = 'by' in change ? bundleOf(scenario, sha, {}, { by: foreign }) : bundleOf(scenario, sha, change);
      scenario.repository.attestations.add({ digest: DIGEST, bundle: await bundle });
      await state(scenario, sha, { bundle: await bundleOf(scenario, sha) });
      expect(codesOf(await scenario.gate('v1.0.0'))).toEqual(['provenance_invalid']);
      expect((await bundlesOf(scenario)).find(({ status }) => status === 'invalid')?.['reason']).toMatch(reason);
    });

    it('are held by a build of another commit, also beside that of the candidate', async () => {
      const { scenario, sha } = await givenRelease();
      const { attestations } = scenario.repository;
      attestations.add({ digest: DIGEST, bundle: await bundleOf(scenario, sha) });
      attestations.add({ digest: DIGEST, bundle: await bundleOf(scenario, sha, { 13: 'd'.repeat(40) }) });
      await state(scenario, sha);
      expect(codesOf(await scenario.gate('v1.0.0'))).toEqual(['provenance_invalid']);
    });

    it('keep their approval when GitHub has another valid bundle', async () => {
      const { scenario, sha } = await givenRelease();
      const run = scenario.run(sha);
      const bundle = await bundleOf(scenario, sha);
      await send(await run.token(), statement(scenario, { bundle }));
      await env.waitUntilIdle();
      scenario.approve('v1.0.0');
      await env.waitUntilIdle();
      scenario.repository.attestations.add({ digest: DIGEST, bundle: await bundleOf(scenario, sha) });
      await send(await run.token(), statement(scenario, { bundle }));
      await env.waitUntilIdle();
      expect(await bundlesOf(scenario)).toMatchObject([{ status: 'verified' }, { status: 'verified' }]);
      expect((await ask(scenario, { digest: DIGEST })).body.can_deploy).toBe(true);
    });

    it('ignore attestations that are not provenance, of another digest or of another repository', async () => {
      const { scenario, sha } = await givenRelease();
      const { scenario: other } = await givenRelease();
      const v02 = 'https://slsa.dev/provenance/v0.2';
      const { attestations } = scenario.repository;
      attestations.add({
        digest: DIGEST,
        predicateType: v02,
        bundle: await createBundle(foreign, { statement: { ...toStatement(DIGEST), predicateType: v02 } }),
      });
      attestations.add({ digest: DIGEST, predicateType: 'https://in-toto.io/attestation/release/v0.1', bundle: {} });
      attestations.add({ digest: OTHER, bundle: {} });
      other.repository.attestations.add({ digest: DIGEST, bundle: {} });
      await state(scenario, sha);
      expect(await bundlesOf(scenario)).toEqual([]);
      expect(codesOf(await scenario.gate('v1.0.0'))).toEqual(['provenance_missing']);
    });

    it('have a bundle once that was also uploaded, whatever the order of its members', async () => {
      const { scenario, sha } = await givenRelease();
      const bundle = await bundleOf(scenario, sha);
      const reversed = Object.fromEntries(Object.entries(bundle).toReversed());
      expect(JSON.stringify(reversed)).not.toBe(JSON.stringify(bundle));
      scenario.repository.attestations.add({ digest: DIGEST, bundle: reversed });
      await state(scenario, sha, { bundle });
      expect(await bundlesOf(scenario)).toMatchObject([{ status: 'verified' }]);
    });

    it.each([
      ['GitHub', false],
      ['the storage of its bundles', true],
    ])('wait for %s during an outage, and nothing is invalid', async (_, isApart) => {
      const { scenario, sha } = await givenRelease();
      scenario.repository.attestations.add({ digest: DIGEST, bundle: await bundleOf(scenario, sha), isApart });
      if (isApart) scenario.repository.attestations.isStorageDown = true;
      else env.github.faults.next({ kind: '5xx', match: SEARCHES, times: 20 });
      await state(scenario, sha);
      expect(await bundlesOf(scenario)).toEqual([]);
      expect(codesOf(await scenario.gate('v1.0.0'))).toEqual(['provenance_missing']);
      env.github.faults.clear();
      scenario.repository.attestations.isStorageDown = false;
      await env.hurry();
      expect(await bundlesOf(scenario)).toMatchObject([{ status: 'verified' }]);
    });

    it('get nothing from bundles that are too large, deleted or no bundles', async () => {
      const { scenario, sha } = await givenRelease();
      const { attestations } = scenario.repository;
      attestations.add({ digest: DIGEST, bundle: { x: 'x'.repeat(1_048_576) } });
      attestations.add({ digest: DIGEST, bundle: { x: 'x'.repeat(1_048_576) }, isApart: true });
      attestations.add({ digest: DIGEST, bundle: 'text', isApart: true });
      attestations.add({ digest: DIGEST, bundle: null, isApart: true });
      attestations.add({ digest: DIGEST, bundle: await bundleOf(scenario, sha), isApart: true });
      await state(scenario, sha);
      expect(await bundlesOf(scenario)).toMatchObject([{ status: 'verified' }]);
    });

    it('have at most twenty bundles, and the others still count', async () => {
      const { scenario, sha } = await givenRelease();
      const { attestations } = scenario.repository;
      for (let at = 0; at < 25; at += 1) attestations.add({ digest: DIGEST, bundle: { at } });
      await state(scenario, sha);
      expect((await bundlesOf(scenario)).length).toBe(20);
      expect(codesOf(await scenario.gate('v1.0.0'))).toEqual(['provenance_invalid']);
    });

    it('that have shipped stay as they are', async () => {
      const { scenario, sha } = await givenRelease('v1.0.0', PLAIN_POLICY);
      await state(scenario, sha);
      scenario.approve('v1.0.0');
      await env.waitUntilIdle();
      await scenario.deploy(sha);
      scenario.repository.attestations.add({ digest: DIGEST, bundle: {} });
      await env.hurry();
      expect([await bundlesOf(scenario), await waiting()]).toEqual([[], 0]);
    });

    // The last one, because the permission stays away.
    it('keep what was found when the permission is taken away, and are not searched without it', async () => {
      const { scenario, sha } = await givenRelease();
      scenario.repository.attestations.add({ digest: DIGEST, bundle: await bundleOf(scenario, sha) });
      await state(scenario, sha);
      const [installation] = env.github.state.installations.ofApp(env.githubApp);
      if (!installation) throw new TypeError('The app is installed.');
      const { attestations: _, ...permissions } = installation.permissions;
      installation.accept(permissions);
      await env.waitUntilIdle();
      const before = env.exchanges.length;
      await state(scenario, sha, { digest: OTHER });
      expect(env.exchanges.slice(before).filter(({ path }) => path.includes('/attestations/'))).toEqual([]);
      expect(await bundlesOf(scenario)).toMatchObject([{ status: 'verified' }]);
    });
  });
});
