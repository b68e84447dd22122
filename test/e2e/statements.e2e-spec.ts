import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { readTrustedKeys } from '../../src/client/verify-pack/verify-pack.js';
import { type ExpectedStatement, verifyStatement } from '../../src/client/verify-statement/verify-statement.js';
import type { DsseEnvelope } from '../../src/crypto/dsse.js';
import { SigningService } from '../../src/features/signing/signing.service.js';
import { replayStoredDecisions } from '../support/stored-decisions.js';
import { TestEnvironment } from '../support/test-environment.js';
import { signIn, type UserSession } from '../support/user-session.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';

const DIGEST = `sha256:${'9f86d081'.repeat(8)}`;
const MINUTE_MS = 60_000;

interface StatementJson {
  readonly subject: readonly { readonly digest: Readonly<Record<string, string>> }[];
  readonly predicate: Readonly<Record<string, unknown>> & {
    readonly timeVerified: string;
    readonly verificationResult: string;
    readonly resourceUri: string;
  };
}
interface OwnMembers {
  readonly decisionId: string;
  readonly validUntil: string;
  readonly reasons?: readonly { readonly code: string; readonly detail?: string }[];
}

let env: TestEnvironment;
let payments: RepositoryScenario;
let member: UserSession;
let releaseId: string;
let candidate: string;

const idOf = async (repo: RepositoryScenario, version: string): Promise<string> => {
  const [row] = await env.asSuperuser<{ readonly id: string }>(
    `select r.id from release r join repository p on p.id = r.repository_id
     where p.name = '${repo.repository.name}' and r.version = '${version}'`,
  );
  return row?.id ?? '';
};

beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off' });
  await env.install();
  payments = new RepositoryScenario(env, { name: 'payments' });
  candidate = await payments.approved('v1.0.0');
  await payments.evidencing('v2.0.0');
  releaseId = await idOf(payments, 'v1.0.0');
  member = await signIn(env, payments.reviewer);
  await env.asSuperuser(
    `insert into repository_access (org_id, person, repository_github_id)
     select org_id, ${payments.reviewer.id}, github_id from repository where name = 'payments'`,
  );
});
afterAll(() => env.stop());
afterEach(() => expect(env.violations).toEqual([]));

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

async function request(
  id: string,
  headers: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const url = `${env.baseUrl}/api/milestones/${id}/statement?${new URLSearchParams(query).toString()}`;
  const response = await fetch(url, { headers });
  return { status: response.status, text: await response.text(), headers: response.headers };
}
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
const ofRun = async (repo = payments) => bearer(await repo.run(repo.head()).token());

const payloadOf = (text: string): StatementJson => {
  const { payload } = JSON.parse(text) as DsseEnvelope;
  return JSON.parse(Buffer.from(payload, 'base64').toString('utf8')) as StatementJson;
};
const ownMembers = ({ predicate }: StatementJson): OwnMembers => predicate[`${env.baseUrl}/statement/v1`] as OwnMembers;

const publishedKeys = async () => {
  const response = await fetch(`${env.baseUrl}/api/statement-keys`);
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'public, max-age=300']);
  return readTrustedKeys(await response.text()) ?? [];
};
const expected = async (changes: Partial<ExpectedStatement> = {}): Promise<ExpectedStatement> => ({
  digest: null,
  commit: candidate,
  resource: `${env.baseUrl}/repositories/${payments.repository.id}/environments/production`,
  verifier: env.baseUrl,
  keys: await publishedKeys(),
  at: env.clock.now(),
  ...changes,
});

describe('the statement about an open gate', () => {
  it('verifies with the published keys, and is about the candidate, its decision and the target', async () => {
    const answer = await request(releaseId, await ofRun());
    expect(answer.status).toBe(200);
    const gate = await payments.gate('v1.0.0');
    const statement = payloadOf(answer.text);
    expect(statement).toMatchObject({
      subject: [{ digest: { gitCommit: candidate } }],
      predicate: { verificationResult: 'PASSED', verifiedLevels: ['SHIPGATE_GATE'], inputAttestations: [] },
    });
    expect(ownMembers(statement)).toEqual({
      decisionId: gate.decision_id,
      validUntil: (gate as unknown as { readonly open_until: string }).open_until,
    });
    expect(verifyStatement(Buffer.from(answer.text), await expected())).toMatchObject({ isValid: true });
  });

  it('names the digest of the policy and the time of the stored decision', async () => {
    const { predicate } = payloadOf((await request(releaseId, await ofRun())).text);
    const [decision] = await env.asSuperuser<{ readonly at: Date; readonly digest: string }>(
      `select at, policy_digest as digest from decision where release_id = '${releaseId}' order by sequence desc limit 1`,
    );
    expect(predicate['policy']).toEqual({
      uri: `${env.baseUrl}/repositories/${payments.repository.id}/policy`,
      digest: { sha256: decision?.digest },
    });
    expect(predicate.timeVerified).toBe(decision?.at.toISOString());
  });

  it('is the same, byte by byte, for every caller and each time', async () => {
    const key = bearer(await env.key(['gate:read']));
    const answers = [
      await request(releaseId, await ofRun()),
      await request(releaseId, key),
      await request(releaseId, { cookie: member.cookie }),
      await request(releaseId, key, { environment: 'Production' }),
    ];
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  it('is valid no longer than the confirmation of its decision', async () => {
    const { validUntil, decisionId } = ownMembers(payloadOf((await request(releaseId, await ofRun())).text));
    const [confirmed] = await env.asSuperuser<{ readonly until: Date }>(
      `select max(open_until) as until from gate_confirmation where decision_id = '${decisionId}'`,
    );
    expect(new Date(validUntil)).toEqual(confirmed?.until);
  });

  it('is FAILED for a digest that is not an artifact of the candidate', async () => {
    const { status, text } = await request(releaseId, await ofRun(), { digest: DIGEST });
    const statement = payloadOf(text);
    expect([status, statement.predicate.verificationResult]).toEqual([200, 'FAILED']);
    expect(statement.subject).toEqual([
      { digest: { sha256: DIGEST.slice('sha256:'.length) } },
      { digest: { gitCommit: candidate } },
    ]);
    const { validUntil, reasons } = ownMembers(statement);
    expect([validUntil, reasons?.map(({ code }) => code)]).toEqual([
      statement.predicate.timeVerified,
      ['not_the_candidate'],
    ]);
    const check = verifyStatement(Buffer.from(text), await expected({ digest: DIGEST }));
    expect(check).toEqual({ isValid: false, reason: 'its result is not PASSED: the gate was closed' });
  });

  it('still verifies after the key was replaced, and the next one is signed by the new key', async () => {
    const before = await request(releaseId, await ofRun());
    env.clock.advance(1_000);
    await env.app.get(SigningService).rotateKey();
    const keys = await publishedKeys();
    expect(keys).toHaveLength(2);
    expect(verifyStatement(Buffer.from(before.text), await expected())).toMatchObject({ isValid: true });
    const after = await request(releaseId, await ofRun());
    const [one, another] = [before, after].map(({ text }) => JSON.parse(text) as DsseEnvelope);
    expect(another?.payload).toBe(one?.payload);
    expect(another?.signatures[0]?.keyid).toBe(keys[0]?.keyId);
    const onlyOld = await expected({ keys: keys.slice(1) });
    expect(verifyStatement(Buffer.from(after.text), onlyOld)).toMatchObject({ isValid: false });
  });

  it('stays valid when the gate closes, and a new one says that it is closed', async () => {
    const repo = new RepositoryScenario(env, { name: 'closing' });
    const commit = await repo.approved('v1.0.0');
    const id = await idOf(repo, 'v1.0.0');
    const open = await request(id, await ofRun(repo));
    const [milestone] = repo.repository.milestones.list();
    if (milestone) repo.repository.milestones.edit(milestone, { title: 'v9.0.0' });
    await env.waitUntilIdle();
    const closed = await request(id, await ofRun(repo));
    const what = await expected({
      commit,
      resource: `${env.baseUrl}/repositories/${repo.repository.id}/environments/production`,
    });
    expect(verifyStatement(Buffer.from(open.text), what)).toMatchObject({ isValid: true });
    expect(verifyStatement(Buffer.from(closed.text), what)).toMatchObject({ isValid: false });
    const later = new Date(env.clock.now().getTime() + 30 * MINUTE_MS);
    expect(verifyStatement(Buffer.from(open.text), { ...what, at: later })).toMatchObject({ isValid: false });
  });

  it('of a shipped release is valid for at most 20 minutes', async () => {
    const repo = new RepositoryScenario(env, { name: 'shipped' });
    await repo.deploy(await repo.approved('v1.0.0'));
    const { text } = await request(await idOf(repo, 'v1.0.0'), await ofRun(repo));
    const statement = payloadOf(text);
    const left = Date.parse(ownMembers(statement).validUntil) - env.clock.now().getTime();
    expect(statement.predicate.verificationResult).toBe('PASSED');
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(20 * MINUTE_MS);
  });
});

describe('the statement about a closed gate', () => {
  it('says why to callers who may read it, and only the codes to others', async () => {
    const id = await idOf(payments, 'v2.0.0');
    const other = new RepositoryScenario(env, { name: 'other' });
    await env.waitUntilIdle();
    const statements = [
      payloadOf((await request(id, await ofRun())).text),
      payloadOf((await request(id, bearer(await env.key(['gate:read'])))).text),
      payloadOf((await request(id, await ofRun(other))).text),
    ];
    const [full, ...short] = statements.map((statement) => ownMembers(statement).reasons);
    expect(full).toEqual([expect.objectContaining({ code: 'approvals_missing', detail: expect.any(String) })]);
    for (const reasons of short) expect(reasons).toEqual([{ code: 'approvals_missing', actor: 'reviewer' }]);
    for (const statement of statements) {
      expect(statement.predicate.verificationResult).toBe('FAILED');
      expect(ownMembers(statement).validUntil).toBe(statement.predicate.timeVerified);
    }
  });

  it('without a candidate is a conflict, and with a digest it is about the digest', async () => {
    const repo = new RepositoryScenario(env, { name: 'planned' });
    repo.milestone('v1.0.0');
    await env.waitUntilIdle();
    const id = await idOf(repo, 'v1.0.0');
    expect((await request(id, await ofRun(repo))).status).toBe(409);
    const { status, text } = await request(id, await ofRun(repo), { digest: DIGEST });
    expect([status, payloadOf(text).subject]).toEqual([200, [{ digest: { sha256: DIGEST.slice(7) } }]]);
  });
});

describe('the statement about an environment before the target', () => {
  const CHAIN = `version: v1
stages:
  development: { deploy_target: dev }
  testing: { deploy_target: Staging, soak: 1h }
  evidencing: { required_evidence: [{ kind: unit_tests }] }
`;

  it('is PASSED exactly while its gate is open, and verifies for no other environment', async () => {
    const repo = new RepositoryScenario(env, { name: 'chain', sdlc: CHAIN });
    const commit = await repo.evidencing('v1.0.0');
    const id = await idOf(repo, 'v1.0.0');
    const resourceOf = (name: string): string =>
      `${env.baseUrl}/repositories/${repo.repository.id}/environments/${name}`;
    const check = async (asked: string, name: string, isOpen: boolean): Promise<StatementJson> => {
      const gate = await repo.gate('v1.0.0', { environment: asked, explain: 'true' });
      expect([asked, gate.can_deploy]).toEqual([asked, isOpen]);
      const { status, text } = await request(id, await ofRun(repo), { environment: asked });
      const statement = payloadOf(text);
      expect([status, statement.predicate.verificationResult]).toEqual([200, isOpen ? 'PASSED' : 'FAILED']);
      expect(statement.predicate.resourceUri).toBe(resourceOf(name));
      const what = await expected({ commit, resource: resourceOf(name) });
      expect(verifyStatement(Buffer.from(text), what).isValid).toBe(isOpen);
      const elsewhere = name === 'production' ? 'Staging' : 'production';
      expect(verifyStatement(Buffer.from(text), { ...what, resource: resourceOf(elsewhere) }).isValid).toBe(false);
      if (isOpen) {
        const limit = (gate as unknown as { readonly open_until: string }).open_until;
        expect(ownMembers(statement).validUntil).toBe(limit);
      }
      return statement;
    };
    await check('staging', 'Staging', true);
    await check('DEV', 'dev', true);
    const { predicate } = await check('production', 'production', false);
    expect(predicate.verificationResult).toBe('FAILED');
    const withDigest = await request(id, await ofRun(repo), { environment: 'staging', digest: DIGEST });
    expect(payloadOf(withDigest.text).predicate.verificationResult).toBe('FAILED');
    expect((await request(id, await ofRun(repo), { environment: 'qa' })).status).toBe(404);
    const [milestone] = repo.repository.milestones.list();
    repo.repository.milestones.edit(milestone!, { state: 'closed' });
    await env.waitUntilIdle();
    await check('staging', 'Staging', false);
    repo.repository.milestones.edit(milestone!, { state: 'open' });
    await env.waitUntilIdle();
    await check('staging', 'Staging', true);
    repo.repository.commit({ files: { 'sdlc.yaml': 'version: v1\nname: 5\n' } });
    await env.waitUntilIdle();
    const invalid = await request(id, await ofRun(repo), { environment: 'staging' });
    expect(invalid.status).toBe(200);
    expect(payloadOf(invalid.text).predicate.verificationResult).toBe('FAILED');
    expect(ownMembers(payloadOf(invalid.text)).reasons).toMatchObject([{ code: 'policy_unknown' }]);
    await replayStoredDecisions(env);
  });
});

describe('a statement', () => {
  it('is not found for an environment that the policy does not name', async () => {
    expect((await request(releaseId, await ofRun(), { environment: 'nowhere' })).status).toBe(404);
  });

  it.each([
    [{ digest: 'sha256:short' }, 400],
    [{ digest: DIGEST.toUpperCase() }, 400],
    [{ environment: '' }, 400],
    [{ sha: 'x' }, 400],
  ])('with %j is %i', async (query, status) => {
    expect((await request(releaseId, await ofRun(), query as Readonly<Record<string, string>>)).status).toBe(status);
  });

  it('is not found for a key of other repositories, for another workspace, and for a user who cannot read it', async () => {
    const elsewhere = await env.key(['gate:read'], env.organization, ['closing']);
    expect((await request(releaseId, bearer(elsewhere))).status).toBe(404);
    expect((await request(releaseId, bearer(await env.key(['evidence:write'])))).status).toBe(403);
    expect((await request('0d8a7f9e-6a0f-4a55-9d5b-6a1b3c7d2e10', await ofRun())).status).toBe(404);
    const stranger = await signIn(env, env.github.createUser({ login: 'rhea' }));
    expect((await request(releaseId, { cookie: stranger.cookie })).status).toBe(404);
    const outsider = await signIn(env, env.github.createUser({ login: 'oscar' }), { role: null });
    expect((await request(releaseId, { cookie: outsider.cookie })).status).toBe(403);
    expect((await request(releaseId, {})).status).toBe(401);
  });
});
