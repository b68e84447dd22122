import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Environment } from '../../src/config/environment.js';
import { ENVIRONMENT } from '../../src/config/environment.js';
import type { OrgId } from '../../src/database/ids.js';
import { RepositoryTokensService } from '../../src/features/repositories/tokens/repository-tokens.service.js';
import { createApp } from '../../src/http/app.factory.js';
import { createLineLogger } from '../../src/observability/logger.js';
import { AppModule } from '../../src/server/app.module.js';
import { TestEnvironment } from '../support/world.js';
import { RepositoryScene } from './scene/repository-scene.js';

const MINUTE_MS = 60_000;
const TOKEN = 'github_pat_11ABCDEFG0hIjKlMnOpQrS_tUvWxYz0123456789';

interface TokenRow {
  readonly org_id: string;
  readonly repository_id: string;
  readonly encrypted_token: string;
  readonly encrypted_key: string;
}

describe('the custody of tokens that people give', () => {
  let world: TestEnvironment;
  let orgId: OrgId;
  beforeAll(async () => {
    world = await TestEnvironment.start({ BILLING: 'off' });
    world.canaries.add('token of a person', TOKEN);
    orgId = await world.install();
  });
  afterAll(() => world.stop());
  afterEach(() => expect(world.violations).toEqual([]));

  const tokens = (): RepositoryTokensService => world.app.get(RepositoryTokensService);
  const idOf = async ({ repository }: RepositoryScene): Promise<string> => {
    await world.settle();
    const [row] = await world.database.inTenant(orgId, (tx) =>
      tx.query<{ readonly id: string }>('select id from repository where github_id = $1', [repository.id]),
    );
    return row?.id ?? '';
  };
  /** A repository for which somebody just gave the token. */
  const given = async (name: string): Promise<{ readonly scene: RepositoryScene; readonly id: string }> => {
    const scene = new RepositoryScene(world, { name });
    const id = await idOf(scene);
    await world.database.inTenant(orgId, (tx) => tokens().save(tx, id, TOKEN));
    return { scene, id };
  };
  const rowOf = async (id: string): Promise<TokenRow | undefined> => {
    const [row] = await world.asSuperuser<TokenRow>(`select * from repository_token where repository_id = '${id}'`);
    return row;
  };

  it('opens what was given, for its repository alone, until it is wiped', async () => {
    const [one, other] = [await given('one'), await idOf(new RepositoryScene(world, { name: 'other' }))];
    expect(await tokens().findDecrypted(orgId, one.id)).toBe(TOKEN);
    expect(await tokens().findDecrypted(orgId, other)).toBeNull();
    await world.database.inTenant(orgId, (tx) => tokens().delete(tx, one.id));
    expect(await tokens().findDecrypted(orgId, one.id)).toBeNull();
    expect(await rowOf(one.id)).toBeUndefined();
  });

  it("opens nothing that was moved into another repository's row", async () => {
    const [one, other] = [await given('moved-from'), await given('moved-to')];
    await world.asSuperuser(
      `update repository_token target set encrypted_token = source.encrypted_token, encrypted_key = source.encrypted_key
       from repository_token source where source.repository_id = '${one.id}' and target.repository_id = '${other.id}'`,
    );
    expect(await tokens().findDecrypted(orgId, other.id)).toBeNull();
    expect(await tokens().findDecrypted(orgId, one.id)).toBe(TOKEN);
    expect(
      world.lines.filter((line) => line.includes(`Repository token of ${other.id} cannot be decrypted`)),
    ).toHaveLength(1);
  });

  it('opens the last one that was given, and counts the hour from then', async () => {
    const { id } = await given('renewed');
    world.clock.advance(40 * MINUTE_MS);
    const later = TOKEN.replace('11A', '11B');
    await world.database.inTenant(orgId, (tx) => tokens().save(tx, id, later));
    world.clock.advance(40 * MINUTE_MS);
    expect(await tokens().findDecrypted(orgId, id)).toBe(later);
  });

  it('opens none an hour after it was received, and wipes it when asked for it', async () => {
    const { id } = await given('aged');
    world.clock.advance(59 * MINUTE_MS);
    expect(await tokens().findDecrypted(orgId, id)).toBe(TOKEN);
    world.clock.advance(MINUTE_MS);
    expect(await tokens().findDecrypted(orgId, id)).toBeNull();
    expect(await rowOf(id)).toBeUndefined();
  });

  it('wipes it at its hour also where nobody asks, and no younger one', async () => {
    const aged = await given('forgotten');
    world.clock.advance(30 * MINUTE_MS);
    const young = await given('remembered');
    world.clock.advance(30 * MINUTE_MS);
    await world.database.queryWithoutTenant(
      'wipe_now',
      `select graphile_worker.add_job('delete-expired-repository-tokens', '{}'::json)`,
      [],
    );
    await world.settle();
    expect(await rowOf(aged.id)).toBeUndefined();
    expect(await rowOf(young.id)).toBeDefined();
  });

  it('wipes it where it is dated by a clock that was ahead: nobody knows how old it is', async () => {
    const [asked, forgotten, barely] = [await given('ahead'), await given('ahead-too'), await given('barely-ahead')];
    const date = ({ id }: typeof asked, seconds: number): Promise<unknown> =>
      world.asSuperuser(
        `update repository_token set received_at = '${world.clock.now().toISOString()}'::timestamptz + interval '${seconds} seconds'
         where repository_id = '${id}'`,
      );
    await Promise.all([date(asked, 3_600), date(forgotten, 3_600), date(barely, 5)]);
    await tokens().deleteExpired();
    expect(await rowOf(forgotten.id)).toBeUndefined();
    expect(await tokens().findDecrypted(orgId, asked.id)).toBeNull();
    expect(await tokens().findDecrypted(orgId, barely.id)).toBe(TOKEN);
  });

  it('wipes it before a process listens that was down at that hour, also of a workspace without the app', async () => {
    const { id } = await given('slept-over');
    world.clock.advance(61 * MINUTE_MS);
    await world.asSuperuser(`update organization set installation_id = null, suspended_at = null`);
    expect(await rowOf(id)).toBeDefined();
    const { database, clock } = world;
    const environment = world.app.get<Environment>(ENVIRONMENT);
    const log = createLineLogger('silent', process.stdout);
    const started = await createApp(AppModule.of({ database, clock }), environment, log);
    try {
      await started.init();
      expect(started.getHttpServer().listening).toBe(false);
      expect(await rowOf(id)).toBeUndefined();
    } finally {
      await started.close();
      await world.resync();
    }
  });

  it('wipes it with the repository that is taken from the app', async () => {
    const { scene, id } = await given('withdrawn');
    scene.repository.delete();
    await world.settle();
    expect(await rowOf(id)).toBeUndefined();
  });

  it('wipes all of them when the app is suspended or uninstalled', async () => {
    for (const leave of ['suspend', 'delete'] as const) {
      const organization = world.github.createOrganization({ login: `leaving-${leave}` });
      const installation = world.github.installApp(world.githubApp, organization);
      const scene = new RepositoryScene(world, { name: `left-by-${leave}`, organization });
      await world.settle();
      const workspace = await world.orgId(organization);
      const [row] = await world.asSuperuser<{ readonly id: string }>(
        `select id from repository where github_id = ${scene.repository.id}`,
      );
      await world.database.inTenant(workspace, (tx) => tokens().save(tx, row?.id ?? '', TOKEN));
      expect(await tokens().findDecrypted(workspace, row?.id ?? '')).toBe(TOKEN);
      installation[leave]();
      await world.settle();
      expect(await rowOf(row?.id ?? '')).toBeUndefined();
    }
  });
});
