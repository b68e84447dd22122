import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EnvironmentError } from './environment.js';
import { readEnvironment } from './read-environment.js';

const KEYS = `a:${Buffer.alloc(32, 1).toString('base64')}`;
const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const SECRETS = { SESSION_SECRET: 's'.repeat(32), ENCRYPTION_KEYS: KEYS };

const { privateKey: PEM } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
});
const APP = {
  GITHUB_APP_ID: '123',
  GITHUB_APP_SLUG: 'shipgate',
  GITHUB_APP_CLIENT_ID: 'Iv1.abc',
  GITHUB_APP_CLIENT_SECRET: 'client secret',
  GITHUB_APP_PRIVATE_KEY: PEM,
  GITHUB_WEBHOOK_SECRET: 'webhook secret',
};

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shipgate-environment-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function problemsOf(source: Record<string, string>): readonly string[] {
  try {
    readEnvironment({ DATA_DIR: join(folder, 'data'), ...SECRETS, ...source });
  } catch (error) {
    if (error instanceof EnvironmentError) return error.problems;
    throw error;
  }
  return [];
}

describe('the default environment', () => {
  it('has the documented values', () => {
    const environment = readEnvironment({ ...SECRETS });
    expect(environment).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      baseUrl: 'http://localhost:3000',
      role: 'all',
      databaseUrl: null,
      databaseDirectUrl: null,
      databaseReplicaUrl: null,
      databaseMigrationUrl: null,
      databasePoolSize: 16,
      dataDir: '.data',
      githubUrl: 'https://github.com',
      githubApiUrl: 'https://api.github.com',
      app: null,
      oidcIssuer: 'https://token.actions.githubusercontent.com',
      oidcAudience: 'shipgate',
      outgoingAllowed: [],
      platformAdmins: [],
      billing: true,
      trustedProxies: [],
      syncIntervalMs: 900_000,
      redeliveryIntervalMs: 300_000,
      storage: null,
      storageQuotas: { free: 1_073_741_824, pro: 53_687_091_200 },
      limits: {
        uploadBytes: 25 * 1_048_576,
        fileBytes: 10 * 1_048_576,
        inflatedBytes: 50 * 1_048_576,
        jsonUploadBytes: 10 * 1_048_576,
        jsonFileBytes: 5 * 1_048_576,
      },
      rateLimits: true,
      metricsToken: null,
      shutdownDelayMs: 0,
      traces: null,
      webhookSecretAlsoValid: null,
      sessionSecretAlsoValid: null,
      logLevel: 'info',
    });
  });

  it('replaces empty values', () => {
    expect(readEnvironment({ ...SECRETS, PORT: '', BASE_URL: ' ', GITHUB_APP_ID_FILE: '' })).toMatchObject({
      port: 3000,
      baseUrl: 'http://localhost:3000',
      app: null,
    });
  });

  it('is frozen', () => {
    const environment = readEnvironment({ ...SECRETS });
    expect(Object.isFrozen(environment) && Object.isFrozen(environment.limits)).toBe(true);
  });
});

describe('readEnvironment', () => {
  it.each<[Record<string, string>, object]>([
    [{ PORT: '0' }, { port: 0, baseUrl: 'http://localhost:0' }],
    [{ BASE_URL: 'https://gate.example/' }, { baseUrl: 'https://gate.example' }],
    [
      { GITHUB_URL: 'https://git.example/' },
      { githubUrl: 'https://git.example', githubApiUrl: 'https://git.example/api/v3' },
    ],
    [{ GITHUB_URL: 'http://127.0.0.1:9/x', GITHUB_API_URL: 'http://[::1]:9' }, { githubApiUrl: 'http://[::1]:9' }],
    [{ OIDC_ISSUER: 'https://issuer.example/' }, { oidcIssuer: 'https://issuer.example/' }],
    [
      { CI_ACTION: `acme/shipgate@${COMMIT}#v1.2.0` },
      { ciAction: { repository: 'acme/shipgate', commit: COMMIT, version: 'v1.2.0' } },
    ],
    [
      { DATABASE_URL: 'postgres://a,b/x', DATABASE_DIRECT_URL: 'postgres://c/x', DATABASE_POOL_SIZE: '40' },
      { databaseUrl: 'postgres://a,b/x', databaseDirectUrl: 'postgres://c/x', databasePoolSize: 40 },
    ],
    [{ PLATFORM_ADMINS: '1, 22' }, { platformAdmins: [1, 22] }],
    [
      { BILLING: 'off', RATE_LIMITS: 'off' },
      { billing: false, rateLimits: false },
    ],
    [{ TRUSTED_PROXIES: '10.0.0.0/8,::1' }, { trustedProxies: ['10.0.0.0/8', '::1'] }],
    [{ OUTGOING_ALLOWED: '10.1.2.3 fd00::/8' }, { outgoingAllowed: ['10.1.2.3', 'fd00::/8'] }],
    [
      { SYNC_INTERVAL: '30s', REDELIVERY_INTERVAL: '2h' },
      { syncIntervalMs: 30_000, redeliveryIntervalMs: 7_200_000 },
    ],
    [{ MAX_FILE_BYTES: '1000', MAX_UPLOAD_BYTES: '2 kb' }, { limits: { fileBytes: 1000, uploadBytes: 2048 } }],
    [
      { STORAGE_URL: 's3://reports/a/b/?endpoint=https://s3.example&region=eu-1' },
      { storage: { bucket: 'reports', prefix: 'a/b', endpoint: 'https://s3.example', region: 'eu-1' } },
    ],
    [{ ...APP, GITHUB_APP_PRIVATE_KEY: PEM.replaceAll('\n', '\\n') }, { app: { appId: '123', privateKey: PEM } }],
    [{ DATABASE_URL: 'postgres://db/shipgate' }, { shutdownDelayMs: 5_000 }],
    [{ DATABASE_URL: 'postgres://db/shipgate', ROLE: 'worker' }, { shutdownDelayMs: 0 }],
    [{ DATABASE_URL: 'postgres://db/shipgate', SHUTDOWN_DELAY: '0s' }, { shutdownDelayMs: 0 }],
    [{ SHUTDOWN_DELAY: '2m' }, { shutdownDelayMs: 120_000 }],
    [{ METRICS_TOKEN: 'scrape-token-0123' }, { metricsToken: 'scrape-token-0123' }],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/', OTEL_TRACES_SAMPLER_ARG: '0.25' },
      { traces: { endpoint: 'http://collector:4318', ratio: 0.25 } },
    ],
    [
      { RETENTION_UNSHIPPED: '0', RETENTION_INVITES: '30d', RETENTION_DELIVERIES: '8d', RETENTION_FAILED_JOBS: '1d' },
      { retentionDays: { unshipped: null, invites: 30, accounts: 365, deliveries: 8, failedJobs: 1 } },
    ],
    [{ SESSION_SECRET_ALSO_VALID: 'n'.repeat(32) }, { sessionSecretAlsoValid: 'n'.repeat(32) }],
    [{ GITHUB_WEBHOOK_SECRET_ALSO_VALID: 'next' }, { webhookSecretAlsoValid: 'next' }],
    [
      { ENCRYPTION_KEYS: `b:${Buffer.alloc(32, 2).toString('base64')}, ${KEYS}` },
      {
        encryptionKeys: [
          { kid: 'b', key: Buffer.alloc(32, 2) },
          { kid: 'a', key: Buffer.alloc(32, 1) },
        ],
      },
    ],
  ])('reads %j', (source, expected) => {
    expect(readEnvironment({ ...SECRETS, ...source })).toMatchObject(expected);
  });

  it('reads the URLs of the database and the secrets from files', () => {
    const inFile = (text: string): string => {
      const path = join(folder, `file-${text.length}`);
      writeFileSync(path, `${text}\n`);
      return path;
    };
    const environment = readEnvironment({
      DATABASE_URL_FILE: inFile('postgres://app@db/shipgate'),
      DATABASE_DIRECT_URL_FILE: inFile('postgres://app@direct/shipgate'),
      DATABASE_MIGRATION_URL_FILE: inFile('postgres://migrator@direct/shipgate'),
      SESSION_SECRET_FILE: inFile('f'.repeat(40)),
      ENCRYPTION_KEYS_FILE: inFile(KEYS),
    });
    expect(environment).toMatchObject({
      databaseUrl: 'postgres://app@db/shipgate',
      databaseDirectUrl: 'postgres://app@direct/shipgate',
      databaseMigrationUrl: 'postgres://migrator@direct/shipgate',
      sessionSecret: 'f'.repeat(40),
      encryptionKeys: [{ kid: 'a' }],
    });
  });

  it('reads the credentials of the app from files', () => {
    const path = join(folder, 'key.pem');
    writeFileSync(path, PEM);
    const { GITHUB_APP_PRIVATE_KEY: _given, ...others } = APP;
    const { app } = readEnvironment({ ...SECRETS, ...others, GITHUB_APP_PRIVATE_KEY_FILE: path });
    expect(app).toEqual({
      appId: '123',
      slug: 'shipgate',
      clientId: 'Iv1.abc',
      clientSecret: 'client secret',
      privateKey: PEM,
      webhookSecret: 'webhook secret',
    });
  });
});

describe('an invalid environment', () => {
  it.each<[Record<string, string>, string]>([
    [{ SHUTDOWN_DELAY: '11m' }, 'SHUTDOWN_DELAY must be a duration from 0s to 10m, such as 5s'],
    [
      { RETENTION_UNSHIPPED: '29d' },
      'RETENTION_UNSHIPPED must be a number of days from 30d, such as 365d, or 0 to delete nothing',
    ],
    [
      { RETENTION_DELIVERIES: '7d' },
      'RETENTION_DELIVERIES must be a number of days from 8d, such as 365d, or 0 to delete nothing',
    ],
    [{ PORT: '65536' }, 'PORT must be a port from 0 to 65535; 0 takes a free one'],
    [{ OTEL_TRACES_SAMPLER_ARG: '1.5' }, 'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL'],
    [{ SESSION_SECRET_ALSO_VALID: 'short' }, 'SESSION_SECRET_ALSO_VALID must have at least 32 characters'],
    [{ PORT: '3e3' }, 'PORT must be a port from 0 to 65535; 0 takes a free one'],
    [{ BASE_URL: 'gate.example' }, 'BASE_URL must be an http or https URL'],
    [{ BASE_URL: 'https://gate.example/path' }, 'BASE_URL must not have a path'],
    [{ BASE_URL: 'https://me:pw@gate.example' }, 'BASE_URL must not hold a user name or password'],
    [{ ROLE: 'both' }, 'ROLE must be one of all, web, worker'],
    [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL must be a postgres:// URL'],
    [{ DATABASE_REPLICA_URL: 'postgres://x/y' }, 'DATABASE_REPLICA_URL is set, so DATABASE_URL must be set too'],
    [{ DATABASE_REPLICA_URL: 'postgres://a,b/y' }, 'DATABASE_REPLICA_URL must have one host'],
    [
      { DATABASE_REPLICA_URL: 'postgres://a/y?target_session_attrs=primary' },
      'DATABASE_REPLICA_URL must not have target_session_attrs',
    ],
    [{ DATABASE_POOL_SIZE: '5' }, 'DATABASE_POOL_SIZE must be a number from 6 to 1000'],
    [{ DATABASE_DIRECT_URL: 'postgres://x/y' }, 'DATABASE_DIRECT_URL is set, so DATABASE_URL must be set too'],
    [
      { GITHUB_URL: 'http://git.example' },
      'GITHUB_URL must be an https URL; http is accepted on loopback addresses only',
    ],
    [
      { GITHUB_API_URL: 'http://128.0.0.1' },
      'GITHUB_API_URL must be an https URL; http is accepted on loopback addresses only',
    ],
    [
      { OIDC_ISSUER: 'http://localhost.example' },
      'OIDC_ISSUER must be an https URL; http is accepted on loopback addresses only',
    ],
    [{ OIDC_ISSUER: 'ftp://issuer.example' }, 'OIDC_ISSUER must be an http or https URL'],
    [{ GITHUB_URL: 'https://git.example?x=1' }, 'GITHUB_URL must not have a query or fragment'],
    [{ SESSION_SECRET: 'short' }, 'SESSION_SECRET must have at least 32 characters'],
    [
      { ENCRYPTION_KEYS: 'a:c2hvcnQ=' },
      'ENCRYPTION_KEYS must contain kid:base64 pairs of 32 bytes each; number 1 is invalid',
    ],
    [{ ENCRYPTION_KEYS: `${KEYS},${KEYS}` }, 'ENCRYPTION_KEYS gives one key id twice'],
    [{ ENCRYPTION_KEYS: ',' }, 'ENCRYPTION_KEYS must contain at least one kid:base64 pair'],
    [{ PLATFORM_ADMINS: '1,octocat' }, 'PLATFORM_ADMINS has "octocat", which is not a numeric GitHub user id'],
    [{ BILLING: 'no' }, 'BILLING must be one of on, off'],
    [{ TRUSTED_PROXIES: '10.0.0.0/33' }, 'TRUSTED_PROXIES has "10.0.0.0/33", which is neither an address nor a CIDR'],
    [
      { TRUSTED_PROXIES: '0.0.0.0/0' },
      'TRUSTED_PROXIES has "0.0.0.0/0", which is the whole internet: set only the networks that you mean',
    ],
    [
      { TRUSTED_PROXIES: '::/00' },
      'TRUSTED_PROXIES has "::/00", which is the whole internet: set only the networks that you mean',
    ],
    [{ OUTGOING_ALLOWED: 'internal' }, 'OUTGOING_ALLOWED has "internal", which is neither an address nor a CIDR'],
    [{ TRUSTED_PROXIES: 'true' }, 'TRUSTED_PROXIES has "true", which is neither an address nor a CIDR'],
    [{ SYNC_INTERVAL: '15' }, 'SYNC_INTERVAL must be a duration from 1s to 24h, such as 30s, 15m or 1h'],
    [{ SYNC_INTERVAL: '25h' }, 'SYNC_INTERVAL must be a duration from 1s to 24h, such as 30s, 15m or 1h'],
    [{ SYNC_INTERVAL: '0s' }, 'SYNC_INTERVAL must be a duration from 1s to 24h, such as 30s, 15m or 1h'],
    [{ MAX_UPLOAD_BYTES: '-1' }, 'MAX_UPLOAD_BYTES must be a size from 1 byte to 1GB, such as 25MB'],
    [{ MAX_UPLOAD_BYTES: '2GB' }, 'MAX_UPLOAD_BYTES must be a size from 1 byte to 1GB, such as 25MB'],
    [{ MAX_UPLOAD_BYTES: '5MB' }, 'MAX_FILE_BYTES must not be larger than MAX_UPLOAD_BYTES'],
    [{ MAX_INFLATED_BYTES: '5MB' }, 'MAX_FILE_BYTES must not be larger than MAX_INFLATED_BYTES'],
    [{ STORAGE_URL: 'https://bucket' }, 'STORAGE_URL must be of the form s3://bucket/prefix?endpoint=…&region=…'],
    [{ STORAGE_URL: 's3://bucket?acl=public' }, 'STORAGE_URL has an unknown parameter "acl"'],
    ...[
      'acme/shipgate@v1#v1.2.0',
      `acme/shipgate@${COMMIT}`,
      `./action@${COMMIT}#v1.2.0`,
      `a/b@${COMMIT}#v1.2.0 x`,
    ].map((value): [Readonly<Record<string, string>>, string] => [
      { CI_ACTION: value },
      'CI_ACTION must be of the form owner/repository@<40 hexadecimal digits>#v1.2.0, in quotes in a .env file',
    ]),
    [{ METRICS_TOKEN: 'short' }, 'METRICS_TOKEN must have at least 16 characters of A-Z a-z 0-9 - . _ ~ + /'],
    [{ LOG_LEVEL: 'verbose' }, 'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent'],
    [{ ...APP, GITHUB_APP_ID: 'x' }, 'GITHUB_APP_ID must be a number'],
    [{ ...APP, GITHUB_APP_PRIVATE_KEY: 'x' }, 'GITHUB_APP_PRIVATE_KEY must be an RSA private key in PEM'],
    [{ ...APP, GITHUB_APP_SLUG_FILE: '/x' }, 'GITHUB_APP_SLUG and GITHUB_APP_SLUG_FILE are both set; set one of them'],
    [
      { GITHUB_APP_ID: '1', GITHUB_APP_SLUG: 'x' },
      'GITHUB_APP_ID is set, so GITHUB_APP_CLIENT_ID, GITHUB_APP_CLIENT_SECRET, GITHUB_APP_PRIVATE_KEY, ' +
        'GITHUB_WEBHOOK_SECRET must be set too (or none of them, for the set-up mode)',
    ],
    [{ DATABASE_MIGRATION_URL: 'postgres://x/y' }, 'DATABASE_MIGRATION_URL is set, so DATABASE_URL must be set too'],
    [{ DATABASE_URL: 'postgres://x/y', SESSION_SECRET: '' }, 'SESSION_SECRET must be set where DATABASE_URL is set'],
    [{ DATABASE_URL: 'postgres://x/y', ENCRYPTION_KEYS: '' }, 'ENCRYPTION_KEYS must be set where DATABASE_URL is set'],
  ])('rejects %j', (source, problem) => {
    expect(problemsOf(source)).toEqual([problem]);
  });

  it('reports all problems together, without a secret', () => {
    const source = {
      PORT: 'x',
      ROLE: 'x',
      SESSION_SECRET: 'hunter2',
      ENCRYPTION_KEYS: 'hunter2',
      METRICS_TOKEN: 'hunter2!',
    };
    expect(problemsOf(source)).toHaveLength(5);
    expect(() => readEnvironment(source)).toThrow(EnvironmentError);
    expect(problemsOf(source).join()).not.toContain('hunter2');
  });

  it('rejects a file that is missing or empty', () => {
    const empty = join(folder, 'empty');
    writeFileSync(empty, '\n');
    expect(problemsOf({ ...APP, GITHUB_APP_SLUG: '', GITHUB_APP_SLUG_FILE: empty })).toEqual([
      `GITHUB_APP_SLUG cannot be read from GITHUB_APP_SLUG_FILE "${empty}": the file is empty`,
    ]);
    expect(problemsOf({ ...APP, GITHUB_APP_SLUG: '', GITHUB_APP_SLUG_FILE: join(folder, 'none') })).toEqual([
      expect.stringMatching(/^GITHUB_APP_SLUG cannot be read from GITHUB_APP_SLUG_FILE ".*": ENOENT$/),
    ]);
  });
});

describe('generated secrets', () => {
  const dataDir = (): string => join(folder, 'data');

  it('creates the secrets once and readable only for this user', () => {
    const first = readEnvironment({ DATA_DIR: dataDir() });
    const second = readEnvironment({ DATA_DIR: dataDir() });
    expect(second.sessionSecret).toBe(first.sessionSecret);
    expect(second.encryptionKeys).toEqual(first.encryptionKeys);
    expect(first.encryptionKeys[0].key).toHaveLength(32);
    expect(readdirSync(dataDir()).toSorted()).toEqual(['encryption-keys', 'session-secret']);
    expect(statSync(join(dataDir(), 'session-secret')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(dataDir(), 'session-secret'), 'utf8').trim()).toBe(first.sessionSecret);
  });

  it('creates no secrets if the environment is invalid or sets them', () => {
    expect(() => readEnvironment({ DATA_DIR: dataDir(), PORT: 'x' })).toThrow(EnvironmentError);
    readEnvironment({ DATA_DIR: dataDir(), ...SECRETS });
    expect(() => readdirSync(dataDir())).toThrow('ENOENT');
  });

  it('rejects secrets that cannot be saved or are damaged', () => {
    writeFileSync(dataDir(), 'a file where a folder should be');
    expect(() => readEnvironment({ DATA_DIR: dataDir() })).toThrow(/secrets in DATA_DIR cannot be used/);
    rmSync(dataDir());
    mkdirSync(dataDir());
    writeFileSync(join(dataDir(), 'encryption-keys'), 'damaged');
    expect(() => readEnvironment({ DATA_DIR: dataDir() })).toThrow(/secrets in DATA_DIR cannot be used: .*kid:base64/);
  });
});
