import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ClaimChanges } from '../github-sim/oidc/actions-claims.js';
import { CLAIM_FORGERIES } from '../github-sim/oidc/claim-forgeries.js';
import { SIGNATURE_FORGERIES } from '../github-sim/oidc/signature-forgeries.js';
import { junit } from '../support/ci-run-client.js';
import { TestEnvironment } from '../support/test-environment.js';
import { PLAIN_POLICY, RepositoryScenario } from './scenarios/repository-scenario.js';
import { requestGate, postUpload, countStoredRows } from './scenarios/service-requests.js';

const VERSION = 'v1.0.0';

describe('a token', () => {
  let env: TestEnvironment;
  let repo: RepositoryScenario;
  let before: Readonly<Record<string, number>>;

  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    await env.install();
    repo = new RepositoryScenario(env, { name: 'payments' });
    await repo.approved(VERSION);
  });
  afterAll(() => env.stop());
  beforeEach(async () => {
    before = await countStoredRows(env);
  });
  afterEach(() => expect(env.violations).toEqual([]));

  const body = {
    repo: 'payments',
    version: VERSION,
    pipeline: 'forged',
    files: [{ filename: 'j.xml', content: junit(1) }],
  };
  const claimsOf = ({ repository }: RepositoryScenario, sha: string): ClaimChanges => ({
    aud: 'shipgate',
    repository: repository.fullName,
    repository_id: String(repository.id),
    repository_owner_id: String(repository.owner.id),
    sha,
  });
  /** The statuses that upload and gate answer, each with an error and nothing else. */
  const statuses = async (bearer: string, name = 'payments'): Promise<readonly number[]> => {
    const answers = [
      await postUpload(env, { bearer, body: { ...body, repo: name } }),
      await requestGate(env, bearer, { repo: name, version: VERSION }),
    ];
    for (const answer of answers) expect(answer.body).toEqual({ error: expect.any(String) as unknown });
    return answers.map(({ status }) => status);
  };

  it.each([...SIGNATURE_FORGERIES, ...CLAIM_FORGERIES])(
    '$name is rejected by the upload and by the gate',
    async ({ forge }) => {
      expect(await statuses(forge(env.issuer, claimsOf(repo, repo.head())))).toEqual([401, 401]);
      expect(await countStoredRows(env)).toEqual(before);
    },
  );

  it('of an owner that was recreated under the same name has no workspace', async () => {
    const again = { ...claimsOf(repo, repo.head()), repository_owner_id: '987654321' };
    expect(await statuses(env.issuer.token(again))).toEqual([403, 403]);
    expect(await countStoredRows(env)).toEqual(before);
  });

  it('of a repository of another owner is rejected, whatever its claims say', async () => {
    const globex = env.github.createOrganization({ login: 'globex' });
    env.github.installApp(env.githubApp, globex);
    await env.waitUntilIdle();
    const theirs = env.github.createRepository(globex, { name: 'payments', files: { 'sdlc.yaml': PLAIN_POLICY } });
    await env.waitUntilIdle();
    const claims = {
      ...claimsOf(repo, repo.head()),
      repository_id: String(theirs.id),
      repository_owner_id: String(globex.id),
    };
    expect(await statuses(env.issuer.token(claims))).toEqual([404, 404]);
    const mixed = { ...claimsOf(repo, repo.head()), repository_owner_id: String(globex.id) };
    expect((await postUpload(env, { bearer: env.issuer.token(mixed), body })).status).toBe(404);
    expect(await countStoredRows(env)).toEqual(before);
  });

  it('of a repository of the workspace uploads only for that repository', async () => {
    const ledger = new RepositoryScenario(env, { name: 'ledger' });
    await env.waitUntilIdle();
    const bearer = await ledger.run(ledger.head()).token();
    expect((await postUpload(env, { bearer, body })).status).toBe(404);
    expect((await requestGate(env, bearer, { repo: 'payments', version: VERSION })).status).toBe(200);
    expect(await countStoredRows(env)).toEqual(before);
  });

  it('with a key that was published a second ago is accepted', async () => {
    env.issuer.rotate({ retainOld: false });
    expect(
      (await requestGate(env, await repo.run(repo.head()).token(), { repo: 'payments', version: VERSION })).status,
    ).toBe(200);
  });

  it('of an unknown key is not rejected as invalid while the issuer is unavailable', async () => {
    const bearer = env.issuer.token(claimsOf(repo, repo.head()), { kid: 'made-on-a-bad-day' });
    await env.issuer.goDown();
    try {
      const answer = await postUpload(env, { bearer, body });
      expect(answer.status).toBe(503);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await requestGate(env, bearer, { repo: 'payments', version: VERSION })).status).toBe(503);
    } finally {
      await env.issuer.comeBack();
    }
    expect(await countStoredRows(env)).toEqual(before);
  });

  it('of a repository that was recreated under the same name neither reads nor writes the old one', async () => {
    const first = new RepositoryScenario(env, { name: 'phoenix' });
    const sha = await first.approved(VERSION);
    expect(await first.gate(VERSION)).toMatchObject({ can_deploy: true });
    const oldToken = await first.run(sha).token();
    first.repository.delete();
    await env.waitUntilIdle();
    const second = env.github.createRepository(env.organization, {
      name: 'phoenix',
      files: { 'sdlc.yaml': PLAIN_POLICY },
    });
    second.milestones.create({ title: VERSION });
    await env.waitUntilIdle();
    const stored = await countStoredRows(env);

    const claims = { ...claimsOf(first, sha), repository_id: String(second.id) };
    const requested = await requestGate(env, env.issuer.token(claims), {
      repo: 'phoenix',
      version: VERSION,
      explain: 'true',
    });
    expect(requested).toMatchObject({ status: 200, body: { current_stage: 'PLANNING', can_deploy: false } });
    expect((await postUpload(env, { bearer: oldToken, body: { ...body, repo: 'phoenix' } })).status).toBe(404);
    expect(await countStoredRows(env)).toEqual(stored);
  });
});
