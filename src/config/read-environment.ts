import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { types } from 'node:util';
import type { AppCredentials } from './app-credentials.js';
import { type BodyLimits, type Environment, EnvironmentError } from './environment.js';
import { loadOrCreateSecret } from './generated-secret.js';
import { type EncryptionKey, readEncryptionKeys } from './value-parsers.js';
import { type Variable, type VariableName, type VariableValues, VARIABLES } from './variables.js';

type Source = Readonly<Record<string, string | undefined>>;

const APP_VARIABLES = [
  'GITHUB_APP_ID',
  'GITHUB_APP_SLUG',
  'GITHUB_APP_CLIENT_ID',
  'GITHUB_APP_CLIENT_SECRET',
  'GITHUB_APP_PRIVATE_KEY',
  'GITHUB_WEBHOOK_SECRET',
] as const satisfies readonly VariableName[];

/** More than two probes of a load balancer that probes every two seconds. */
const DEFAULT_SHUTDOWN_DELAY_MS = 5_000;

/**
 * Returns the frozen environment. With the embedded database, missing secrets are generated and stored in `DATA_DIR`.
 */
export function readEnvironment(source: Source): Environment {
  const problems: string[] = [];
  const values = readValues(source, problems);
  problems.push(...contradictions(values));
  if (problems.length > 0) throw new EnvironmentError(problems);
  const secrets = readSecrets(values);
  return deepFreeze({
    port: values.PORT,
    host: values.HOST,
    baseUrl: values.BASE_URL ?? `http://localhost:${values.PORT}`,
    role: values.ROLE,
    databaseUrl: values.DATABASE_URL,
    databaseDirectUrl: values.DATABASE_DIRECT_URL,
    databaseReplicaUrl: values.DATABASE_REPLICA_URL,
    databaseMigrationUrl: values.DATABASE_MIGRATION_URL,
    databasePoolSize: values.DATABASE_POOL_SIZE,
    dataDir: values.DATA_DIR,
    githubUrl: values.GITHUB_URL,
    githubApiUrl: values.GITHUB_API_URL ?? restApiUrl(values.GITHUB_URL),
    app: appCredentials(values),
    oidcIssuer: values.OIDC_ISSUER,
    oidcAudience: values.OIDC_AUDIENCE,
    trustedRoots: values.TRUSTED_ROOTS,
    outgoingAllowed: values.OUTGOING_ALLOWED,
    ciAction: values.CI_ACTION,
    webhookSecretAlsoValid: values.GITHUB_WEBHOOK_SECRET_ALSO_VALID,
    ...secrets,
    sessionSecretAlsoValid: values.SESSION_SECRET_ALSO_VALID,
    platformAdmins: values.PLATFORM_ADMINS,
    billing: values.BILLING,
    trustedProxies: values.TRUSTED_PROXIES,
    syncIntervalMs: values.SYNC_INTERVAL,
    redeliveryIntervalMs: values.REDELIVERY_INTERVAL,
    storage: values.STORAGE_URL,
    storageQuotas: { free: values.STORAGE_QUOTA_FREE, pro: values.STORAGE_QUOTA },
    retentionDays: {
      unshipped: values.RETENTION_UNSHIPPED,
      invites: values.RETENTION_INVITES,
      accounts: values.RETENTION_ACCOUNTS,
      deliveries: values.RETENTION_DELIVERIES,
      failedJobs: values.RETENTION_FAILED_JOBS,
    },
    limits: toLimits(values),
    maxConnectionsPerAddress: values.MAX_CONNECTIONS_PER_ADDRESS,
    rateLimits: values.RATE_LIMITS,
    metricsToken: values.METRICS_TOKEN,
    shutdownDelayMs: values.SHUTDOWN_DELAY ?? defaultShutdownDelayMs(values),
    traces:
      values.OTEL_EXPORTER_OTLP_ENDPOINT === null
        ? null
        : { endpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT, ratio: values.OTEL_TRACES_SAMPLER_ARG },
    logLevel: values.LOG_LEVEL,
  });
}

/** Reads every variable. An invalid variable has no value and adds a problem with the reason. */
function readValues(source: Source, problems: string[]): VariableValues {
  const values: Record<string, unknown> = {};
  for (const [name, variable] of Object.entries<Variable<unknown>>(VARIABLES)) {
    try {
      const text = readText(name, variable, source) ?? variable.fallback;
      values[name] = text === null ? null : variable.read(text);
    } catch (error) {
      problems.push(`${name} ${toSentence(error)}`);
    }
  }
  return values as VariableValues;
}

/** An empty value counts as missing, because compose files and CI systems set it for missing values. */
function readText(name: string, { fromFile }: Variable<unknown>, source: Source): string | null {
  const given = source[name]?.trim() || null;
  const path = (fromFile && source[`${name}_FILE`]?.trim()) || null;
  if (path === null) return given;
  if (given !== null) throw new Error(`and ${name}_FILE are both set; set one of them`);
  return fileText(name, path);
}

function fileText(name: string, path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (cause) {
    const code = types.isNativeError(cause) && 'code' in cause ? String(cause.code) : 'unreadable';
    throw new Error(`cannot be read from ${name}_FILE "${path}": ${code}`, { cause });
  }
  if (text === '') throw new Error(`cannot be read from ${name}_FILE "${path}": the file is empty`);
  return text;
}

/** Finds problems between variables. An invalid variable is `undefined` here and has its own problem already. */
function contradictions(values: VariableValues): string[] {
  const problems: string[] = [];
  const given = APP_VARIABLES.filter((name) => values[name] !== null);
  if (given.length > 0 && given.length < APP_VARIABLES.length) {
    const missing = APP_VARIABLES.filter((name) => values[name] === null);
    problems.push(
      `${given[0]} is set, so ${missing.join(', ')} must be set too (or none of them, for the set-up mode)`,
    );
  }
  for (const name of ['DATABASE_DIRECT_URL', 'DATABASE_MIGRATION_URL', 'DATABASE_REPLICA_URL'] as const) {
    if (values[name] && values.DATABASE_URL === null) problems.push(`${name} is set, so DATABASE_URL must be set too`);
  }
  if (values.DATABASE_URL !== null) {
    for (const name of ['SESSION_SECRET', 'ENCRYPTION_KEYS'] as const) {
      if (values[name] === null) problems.push(`${name} must be set where DATABASE_URL is set`);
    }
  }
  if (values.MAX_FILE_BYTES > values.MAX_UPLOAD_BYTES) {
    problems.push('MAX_FILE_BYTES must not be larger than MAX_UPLOAD_BYTES');
  }
  if (values.MAX_FILE_BYTES > values.MAX_INFLATED_BYTES) {
    problems.push('MAX_FILE_BYTES must not be larger than MAX_INFLATED_BYTES');
  }
  return problems;
}

function appCredentials(values: VariableValues): AppCredentials | null {
  const {
    GITHUB_APP_ID: appId,
    GITHUB_APP_SLUG: slug,
    GITHUB_APP_CLIENT_ID: clientId,
    GITHUB_APP_CLIENT_SECRET: clientSecret,
    GITHUB_APP_PRIVATE_KEY: privateKey,
    GITHUB_WEBHOOK_SECRET: webhookSecret,
  } = values;
  if (!appId || !slug || !clientId || !clientSecret || !privateKey || !webhookSecret) return null;
  return { appId, slug, clientId, clientSecret, privateKey, webhookSecret };
}

interface Secrets {
  readonly sessionSecret: string;
  readonly encryptionKeys: readonly [EncryptionKey, ...EncryptionKey[]];
}

function readSecrets({ DATA_DIR: directory, SESSION_SECRET: session, ENCRYPTION_KEYS: keys }: VariableValues): Secrets {
  try {
    return {
      sessionSecret:
        session ?? loadOrCreateSecret(directory, 'session-secret', () => randomBytes(32).toString('base64url')),
      encryptionKeys:
        keys ??
        readEncryptionKeys(
          loadOrCreateSecret(directory, 'encryption-keys', () => `generated:${randomBytes(32).toString('base64')}`),
        ),
    };
  } catch (error) {
    throw new EnvironmentError([`The generated secrets in DATA_DIR cannot be used: ${toSentence(error)}`]);
  }
}

const toSentence = (error: unknown): string => (types.isNativeError(error) ? error.message : String(error));

/** With the embedded database there is one process, and a worker gets no requests: nothing has to be redirected. */
const defaultShutdownDelayMs = ({ DATABASE_URL, ROLE }: VariableValues): number =>
  DATABASE_URL === null || ROLE === 'worker' ? 0 : DEFAULT_SHUTDOWN_DELAY_MS;

/** The REST API of github.com has its own host name. That of a GitHub Enterprise Server is below `/api/v3`. */
const restApiUrl = (githubUrl: string): string =>
  githubUrl === VARIABLES.GITHUB_URL.fallback ? 'https://api.github.com' : `${githubUrl}/api/v3`;

function toLimits({ MAX_UPLOAD_BYTES, MAX_FILE_BYTES, MAX_INFLATED_BYTES }: VariableValues): BodyLimits {
  return {
    uploadBytes: MAX_UPLOAD_BYTES,
    fileBytes: MAX_FILE_BYTES,
    inflatedBytes: MAX_INFLATED_BYTES,
    jsonUploadBytes: MAX_FILE_BYTES,
    jsonFileBytes: Math.floor(MAX_FILE_BYTES / 2),
  };
}

function deepFreeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) {
    // A buffer cannot be frozen. No code writes to a key.
    if (typeof member === 'object' && member !== null && !Buffer.isBuffer(member)) deepFreeze(member);
  }
  return Object.freeze(value);
}
