import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Clock } from '../../src/config/clock.js';
import { EncryptionService } from '../../src/crypto/encryption.service.js';
import { canonicalJson, type JsonObject } from '../../src/domain/audit/canonical-json.js';
import { AppConfigurationRepository } from '../../src/features/setup/app-configuration.repository.js';
import { isSignedBy, jwkThumbprint } from '../../src/crypto/public-key.js';
import { SigningKeysRepository } from '../../src/features/signing/signing-keys.repository.js';
import { SigningService } from '../../src/features/signing/signing.service.js';
import { TestEnvironment } from '../support/test-environment.js';
import { codesOf, RepositoryScenario } from './scenarios/repository-scenario.js';

interface SignedDocument extends JsonObject {
  readonly signature: { readonly algorithm: string; readonly keyId: string; readonly value: string };
}
interface KeyJson {
  readonly kid: string;
  readonly x: string;
  readonly madeAt: string;
  readonly retiredAt: string | null;
}

const VERSION = 'v1.0.0';
const DATA = `.releases/${VERSION}/evidence.json`;

let env: TestEnvironment;
beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off' });
  await env.install();
  const { encryptedPrivateKey } = (await new SigningKeysRepository(env.database).findInUse()) ?? {
    encryptedPrivateKey: '',
  };
  env.secretLeaks.add('sealed signing key', encryptedPrivateKey.split('.').at(-1) ?? '');
});
afterAll(async () => {
  // Clears the only column that may contain the encrypted key. `stop()` then checks that the key is nowhere else.
  await env.asSuperuser(`update signing_key set encrypted_private_key = '' where retired_at is null`);
  await env.stop();
});

const serviceWith = (kid: string, key = randomBytes(32)): SigningService => {
  const sealer = new EncryptionService({ encryptionKeys: [{ kid, key }] });
  return new SigningService(new SigningKeysRepository(env.database), sealer, new Clock());
};

async function published(): Promise<readonly KeyJson[]> {
  const response = await fetch(`${env.baseUrl}/.well-known/shipgate-keys.json`);
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'public, max-age=300']);
  return ((await response.json()) as { readonly keys: readonly KeyJson[] }).keys;
}

function documentOf(repo: RepositoryScenario): SignedDocument {
  const { git } = repo.repository;
  const entry = git.filesAt(repo.head(`shipgate/evidence/${VERSION}`)).get(DATA);
  return JSON.parse(git.store.blob(entry?.sha ?? '').toString('utf8')) as SignedDocument;
}

function isVouchedFor({ signature, ...signed }: SignedDocument, keys: readonly KeyJson[]): boolean {
  const key = keys.find(({ kid }) => kid === signature.keyId);
  return key !== undefined && isSignedBy(key.x, Buffer.from(canonicalJson(signed)), signature.value);
}

describe('the keys of the service', () => {
  it('are public, and the current key is named by its thumbprint', async () => {
    const keys = await published();
    expect(keys).toEqual([
      {
        kty: 'OKP',
        crv: 'Ed25519',
        use: 'sig',
        alg: 'EdDSA',
        x: expect.stringMatching(/^[\w-]{43}$/),
        kid: expect.any(String),
        madeAt: expect.any(String),
        retiredAt: null,
      },
    ]);
    expect(keys[0]?.kid).toBe(jwkThumbprint(keys[0]?.x ?? ''));
  });

  it('need the encryption key of the current signing key', async () => {
    const needed = await new AppConfigurationRepository(env.database).listEncryptionKeyIds();
    expect(needed).toHaveLength(1);
    await expect(serviceWith(needed[0] ?? '').onModuleInit()).rejects.toMatchObject({
      name: 'EnvironmentError',
      problems: [expect.stringMatching(/^ENCRYPTION_KEYS must contain .* was changed, or belongs elsewhere/)],
    });
    await expect(serviceWith('another').onModuleInit()).rejects.toThrow(`it needs the key ${needed[0]}.`);
    expect(await published()).toHaveLength(1);
  });

  it('are created once when several processes start at once', async () => {
    await env.asSuperuser('create table kept_key as select * from signing_key');
    await env.asSuperuser('delete from signing_key');
    const key = randomBytes(32);
    await Promise.all(Array.from({ length: 8 }, () => serviceWith('same', key).onModuleInit()));
    const created = await published();
    await env.asSuperuser(
      'delete from signing_key; insert into signing_key select * from kept_key; drop table kept_key',
    );
    expect(created).toHaveLength(1);
  });

  it('cannot be read by the database role of the service', async () => {
    await expect(env.database.pool.query('select key_id from signing_key')).rejects.toThrow('permission denied');
  });
});

describe('an evidence pull request', () => {
  it('contains evidence signed by the current key, and any change is detected', async () => {
    const repo = new RepositoryScenario(env, { name: 'signed' });
    await repo.evidencing(VERSION);
    const document = documentOf(repo);
    const keys = await published();
    expect(document).toMatchObject({ schema: 'shipgate.evidence.v1', signature: { algorithm: 'Ed25519' } });
    expect(isVouchedFor(document, keys)).toBe(true);
    expect(isVouchedFor({ ...document, candidate: 'f'.repeat(40) }, keys)).toBe(false);
    expect(isVouchedFor({ ...document, more: null }, keys)).toBe(false);
  });

  it('is stored byte by byte as it was published', async () => {
    const [stored] = await env.asSuperuser<{ content: string; files: string[] }>(
      `select p.content, array(select f ->> 'blobSha' from jsonb_array_elements(e.files) f) as files
       from published_evidence p join evidence_pull_request e on e.release_id = p.release_id
       where p.path = '${DATA}' and p.blob_sha = any(array(select f ->> 'blobSha' from jsonb_array_elements(e.files) f))`,
    );
    expect(JSON.parse(stored?.content ?? '')).toMatchObject({ version: VERSION, signature: { algorithm: 'Ed25519' } });
  });

  it('stays unchanged with its approval after the key was replaced', async () => {
    const repo = new RepositoryScenario(env, { name: 'signed-before' });
    await repo.approved(VERSION);
    const [head, before] = [repo.head(`shipgate/evidence/${VERSION}`), documentOf(repo)];
    expect(await repo.gate(VERSION)).toMatchObject({ can_deploy: true });

    const replaced = await env.app.get(SigningService).rotateKey();
    expect(replaced?.retired).toBe(before.signature.keyId);
    await env.resync();
    env.clock.advance(30 * 60_000);
    await env.resync();
    expect(repo.head(`shipgate/evidence/${VERSION}`)).toBe(head);
    expect(await repo.gate(VERSION)).toMatchObject({ can_deploy: true, reasons: [] });

    const keys = await published();
    expect(keys.map(({ kid, retiredAt }) => [kid, retiredAt !== null])).toEqual([
      [replaced?.inUse, false],
      [replaced?.retired, true],
    ]);
    expect(isVouchedFor(before, keys)).toBe(true);
  });

  it('is signed only by the new key when its content changes', async () => {
    const repo = new RepositoryScenario(env, { name: 'signed-anew' });
    await repo.approved(VERSION);
    const old = documentOf(repo);
    await env.app.get(SigningService).rotateKey();
    const sha = repo.commit();
    await env.waitUntilIdle();
    await repo.test(VERSION, sha);
    const document = documentOf(repo);
    expect(document.signature.keyId).not.toBe(old.signature.keyId);
    expect(isVouchedFor(document, await published())).toBe(true);
    expect(codesOf(await repo.gate(VERSION))).toEqual(['approvals_missing']);
    expect(env.violations).toEqual([]);
  });
});

describe('a retired key', () => {
  it('has no private key any more', async () => {
    const rows = await env.asSuperuser<{ retired: boolean; sealed: string | null }>(
      'select retired_at is not null as retired, encrypted_private_key as sealed from signing_key',
    );
    expect(rows.filter(({ retired }) => retired).map(({ sealed }) => sealed)).toEqual([null, null]);
  });

  it('is replaced by one key when several replacements run at once', async () => {
    const keys = new SigningKeysRepository(env.database);
    const old = (await keys.findInUse())?.keyId ?? '';
    const others = ['a', 'b', 'c'].map((keyId) => ({
      keyId,
      x: 'x',
      encryptedPrivateKey: 'encrypted',
      createdAt: env.clock.now(),
    }));
    const outcomes = await Promise.all(others.map((key) => keys.replace(old, key)));
    expect(outcomes.filter((isReplaced) => isReplaced)).toHaveLength(1);
    expect((await published()).filter(({ retiredAt }) => retiredAt === null)).toHaveLength(1);
  });
});
