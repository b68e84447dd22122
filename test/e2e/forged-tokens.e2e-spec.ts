import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ClaimChanges } from '../github-sim/oidc/actions-claims.js';
import { CLAIM_FORGERIES } from '../github-sim/oidc/claim-forgeries.js';
import { SIGNATURE_FORGERIES } from '../github-sim/oidc/signature-forgeries.js';
import { junit } from '../support/ci-run.js';
import { TestEnvironment } from '../support/world.js';
import { PLAIN_POLICY, RepositoryScene } from './scene/repository-scene.js';
import { askGate, postUpload, countStoredRows } from './scene/service-requests.js';

const VERSION = 'v1.0.0';

describe('a token', () => {
  let world: TestEnvironment;
  let repo: RepositoryScene;
  let before: Readonly<Record<string, number>>;

  beforeAll(async () => {
    world = await TestEnvironment.start({ BILLING: 'off' });
    await world.install();
    repo = new RepositoryScene(world, { name: 'payments' });
    await repo.approved(VERSION);
  });
  afterAll(() => world.stop());
  beforeEach(async () => {
    before = await countStoredRows(world);
  });
  afterEach(() => expect(world.violations).toEqual([]));

  const body = {
    repo: 'payments',
    version: VERSION,
    pipeline: 'forged',
    files: [{ filename: 'j.xml', content: junit(1) }],
  };
  const claimsOf = ({ repository }: RepositoryScene, sha: string): ClaimChanges => ({
    aud: 'shipgate',
    repository: repository.fullName,
    repository_id: String(repository.id),
    repository_owner_id: String(repository.owner.id),
    sha,
  });
  /** The statuses that upload and gate answer, each with an error and nothing else. */
  const statuses = async (bearer: string, name = 'payments'): Promise<readonly number[]> => {
    const answers = [
      await postUpload(world, { bearer, body: { ...body, repo: name } }),
      await askGate(world, bearer, { repo: name, version: VERSION }),
    ];
    for (const answer of answers) expect(answer.body).toEqual({ error: expect.any(String) as unknown });
    return answers.map(({ status }) => status);
  };

  it.each([...SIGNATURE_FORGERIES, ...CLAIM_FORGERIES])('$name opens neither upload nor gate', async ({ forge }) => {
    expect(await statuses(forge(world.issuer, claimsOf(repo, repo.head())))).toEqual([401, 401]);
    expect(await countStoredRows(world)).toEqual(before);
  });

  it('of an owner that was made again under the same name has no workspace', async () => {
    const again = { ...claimsOf(repo, repo.head()), repository_owner_id: '987654321' };
    expect(await statuses(world.issuer.token(again))).toEqual([403, 403]);
    expect(await countStoredRows(world)).toEqual(before);
  });

  it('of a repository of another owner opens nothing here, whatever it calls itself', async () => {
    const globex = world.github.createOrganization({ login: 'globex' });
    world.github.installApp(world.githubApp, globex);
    await world.settle();
    const theirs = world.github.createRepository(globex, { name: 'payments', files: { 'sdlc.yaml': PLAIN_POLICY } });
    await world.settle();
    const claims = {
      ...claimsOf(repo, repo.head()),
      repository_id: String(theirs.id),
      repository_owner_id: String(globex.id),
    };
    expect(await statuses(world.issuer.token(claims))).toEqual([404, 404]);
    const mixed = { ...claimsOf(repo, repo.head()), repository_owner_id: String(globex.id) };
    expect((await postUpload(world, { bearer: world.issuer.token(mixed), body })).status).toBe(404);
    expect(await countStoredRows(world)).toEqual(before);
  });

  it('of a repository of the workspace uploads for that one only', async () => {
    const ledger = new RepositoryScene(world, { name: 'ledger' });
    await world.settle();
    const bearer = await ledger.run(ledger.head()).token();
    expect((await postUpload(world, { bearer, body })).status).toBe(404);
    expect((await askGate(world, bearer, { repo: 'payments', version: VERSION })).status).toBe(200);
    expect(await countStoredRows(world)).toEqual(before);
  });

  it('with a key that was published a second ago is let in', async () => {
    world.issuer.rotate({ keepOld: false });
    expect(
      (await askGate(world, await repo.run(repo.head()).token(), { repo: 'payments', version: VERSION })).status,
    ).toBe(200);
  });

  it('of an unknown key while the issuer is down is not judged', async () => {
    const bearer = world.issuer.token(claimsOf(repo, repo.head()), { kid: 'made-on-a-bad-day' });
    await world.issuer.goDown();
    try {
      const answer = await postUpload(world, { bearer, body });
      expect(answer.status).toBe(503);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await askGate(world, bearer, { repo: 'payments', version: VERSION })).status).toBe(503);
    } finally {
      await world.issuer.comeBack();
    }
    expect(await countStoredRows(world)).toEqual(before);
  });

  it('of a repository that was made again under the same name sees and feeds nothing of the old one', async () => {
    const first = new RepositoryScene(world, { name: 'phoenix' });
    const sha = await first.approved(VERSION);
    expect(await first.gate(VERSION)).toMatchObject({ can_deploy: true });
    const oldToken = await first.run(sha).token();
    first.repository.delete();
    await world.settle();
    const second = world.github.createRepository(world.organization, {
      name: 'phoenix',
      files: { 'sdlc.yaml': PLAIN_POLICY },
    });
    second.milestones.create({ title: VERSION });
    await world.settle();
    const stored = await countStoredRows(world);

    const claims = { ...claimsOf(first, sha), repository_id: String(second.id) };
    const asked = await askGate(world, world.issuer.token(claims), {
      repo: 'phoenix',
      version: VERSION,
      explain: 'true',
    });
    expect(asked).toMatchObject({ status: 200, body: { current_stage: 'PLANNING', can_deploy: false } });
    expect((await postUpload(world, { bearer: oldToken, body: { ...body, repo: 'phoenix' } })).status).toBe(404);
    expect(await countStoredRows(world)).toEqual(stored);
  });
});
