import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Environment } from '../../src/config/environment.js';
import { ENVIRONMENT } from '../../src/config/environment.js';
import type { OrgId } from '../../src/database/ids.js';
import { RepositoryTokensService } from '../../src/features/repositories/tokens/repository-tokens.service.js';
import { createApp } from '../../src/http/app.factory.js';
import { createLineLogger } from '../../src/observability/logger.js';
import { AppModule } from '../../src/server/app.module.js';
import { TestEnvironment } from '../support/test-environment.js';
import { RepositoryScenario } from './scenarios/repository-scenario.js';

const MINUTE_MS = 60_000;
const TOKEN = 'github_pat_11ABCDEFG0hIjKlMnOpQrS_tUvWxYz0123456789';

interface TokenRow {
  readonly org_id: string;
  readonly repository_id: string;
  readonly encrypted_token: string;
  readonly encrypted_key: string;
}

describe('a repository token', () => {
  let env: TestEnvironment;
  let orgId: OrgId;
  beforeAll(async () => {
    env = await TestEnvironment.start({ BILLING: 'off' });
    env.secretLeaks.add('token of a person', TOKEN);
    orgId = await env.install();
  });
  afterAll(() => env.stop());
  afterEach(() => expect(env.violations).toEqual([]));

  const tokens = (): RepositoryTokensService => env.app.get(RepositoryTokensService);
  const idOf = async ({ repository }: RepositoryScenario): Promise<string> => {
    await env.waitUntilIdle();
    const [row] = await env.database.inTenant(orgId, (tx) =>
      tx.query<{ readonly id: string }>('select id from repository where github_id = $1', [repository.id]),
    );
    return row?.id ?? '';
  };
  /** A repository whose token was just received. */
  const given = async (name: string): Promise<{ readonly scenario: RepositoryScenario; readonly id: string }> => {
    const scenario = new RepositoryScenario(env, { name });
    const id = await idOf(scenario);
    await env.database.inTenant(orgId, (tx) => tokens().save(tx, id, TOKEN));
    return { scenario, id };
  };
  const rowOf = async (id: string): Promise<TokenRow | undefined> => {
    const [row] = await env.asSuperuser<TokenRow>(`select * from repository_token where repository_id = '${id}'`);
    return row;
  };

  it('can be decrypted only for its repository, until it is deleted', async () => {
    const [one, other] = [await given('one'), await idOf(new RepositoryScenario(env, { name: 'other' }))];
    expect(await tokens().findDecrypted(orgId, one.id)).toBe(TOKEN);
    expect(await tokens().findDecrypted(orgId, other)).toBeNull();
    await env.database.inTenant(orgId, (tx) => tokens().delete(tx, one.id));
    expect(await tokens().findDecrypted(orgId, one.id)).toBeNull();
    expect(await rowOf(one.id)).toBeUndefined();
  });

  it('cannot be decrypted in the row of another repository', async () => {
    const [one, other] = [await given('moved-from'), await given('moved-to')];
    await env.asSuperuser(
      `update repository_token target set encrypted_token = source.encrypted_token, encrypted_key = source.encrypted_key
       from repository_token source where source.repository_id = '${one.id}' and target.repository_id = '${other.id}'`,
    );
    expect(await tokens().findDecrypted(orgId, other.id)).toBeNull();
    expect(await tokens().findDecrypted(orgId, one.id)).toBe(TOKEN);
    expect(
      env.lines.filter((line) => line.includes(`Repository token of ${other.id} cannot be decrypted`)),
    ).toHaveLength(1);
  });

  it('replaces the former token, and its hour starts again', async () => {
    const { id } = await given('renewed');
    env.clock.advance(40 * MINUTE_MS);
    const later = TOKEN.replace('11A', '11B');
    await env.database.inTenant(orgId, (tx) => tokens().save(tx, id, later));
    env.clock.advance(40 * MINUTE_MS);
    expect(await tokens().findDecrypted(orgId, id)).toBe(later);
  });

  it('cannot be decrypted an hour after it was received, and is deleted when it is requested', async () => {
    const { id } = await given('aged');
    env.clock.advance(59 * MINUTE_MS);
    expect(await tokens().findDecrypted(orgId, id)).toBe(TOKEN);
    env.clock.advance(MINUTE_MS);
    expect(await tokens().findDecrypted(orgId, id)).toBeNull();
    expect(await rowOf(id)).toBeUndefined();
  });

  it('is deleted after its hour without a request, and no younger token is', async () => {
    const aged = await given('forgotten');
    env.clock.advance(30 * MINUTE_MS);
    const young = await given('remembered');
    env.clock.advance(30 * MINUTE_MS);
    await env.database.queryWithoutTenant(
      'enqueue_token_expiry',
      `select graphile_worker.add_job('delete-expired-repository-tokens', '{}'::json)`,
      [],
    );
    await env.waitUntilIdle();
    expect(await rowOf(aged.id)).toBeUndefined();
    expect(await rowOf(young.id)).toBeDefined();
  });

  it('is deleted if a clock that was ahead dated it, because its age is unknown', async () => {
    const [requested, expired, barely] = [await given('ahead'), await given('ahead-too'), await given('barely-ahead')];
    const date = ({ id }: typeof requested, seconds: number): Promise<unknown> =>
      env.asSuperuser(
        `update repository_token set received_at = '${env.clock.now().toISOString()}'::timestamptz + interval '${seconds} seconds'
         where repository_id = '${id}'`,
      );
    await Promise.all([date(requested, 3_600), date(expired, 3_600), date(barely, 5)]);
    await tokens().deleteExpired();
    expect(await rowOf(expired.id)).toBeUndefined();
    expect(await tokens().findDecrypted(orgId, requested.id)).toBeNull();
    expect(await tokens().findDecrypted(orgId, barely.id)).toBe(TOKEN);
  });

  it('is deleted at the start of a process that was down at that time, also in a workspace without the app', async () => {
    const { id } = await given('slept-over');
    env.clock.advance(61 * MINUTE_MS);
    await env.asSuperuser(`update organization set installation_id = null, suspended_at = null`);
    expect(await rowOf(id)).toBeDefined();
    const { database, clock } = env;
    const environment = env.app.get<Environment>(ENVIRONMENT);
    const log = createLineLogger('silent', process.stdout);
    const started = await createApp(AppModule.of({ database, clock }), environment, log);
    try {
      await started.init();
      expect(started.getHttpServer().listening).toBe(false);
      expect(await rowOf(id)).toBeUndefined();
    } finally {
      await started.close();
      await env.resync();
    }
  });

  it('is deleted when its repository is removed from the app', async () => {
    const { scenario, id } = await given('withdrawn');
    scenario.repository.delete();
    await env.waitUntilIdle();
    expect(await rowOf(id)).toBeUndefined();
  });

  it('is deleted when the app is suspended or uninstalled', async () => {
    for (const leave of ['suspend', 'delete'] as const) {
      const organization = env.github.createOrganization({ login: `leaving-${leave}` });
      const installation = env.github.installApp(env.githubApp, organization);
      const scenario = new RepositoryScenario(env, { name: `left-by-${leave}`, organization });
      await env.waitUntilIdle();
      const workspace = await env.orgId(organization);
      const [row] = await env.asSuperuser<{ readonly id: string }>(
        `select id from repository where github_id = ${scenario.repository.id}`,
      );
      await env.database.inTenant(workspace, (tx) => tokens().save(tx, row?.id ?? '', TOKEN));
      expect(await tokens().findDecrypted(workspace, row?.id ?? '')).toBe(TOKEN);
      installation[leave]();
      await env.waitUntilIdle();
      expect(await rowOf(row?.id ?? '')).toBeUndefined();
    }
  });
});
