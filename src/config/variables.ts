import { readAppId, readPrivateKey } from './app-credentials.js';
import { readDatabaseUrl, readReplicaUrl } from './database-url.js';
import {
  readByteSize,
  readCiAction,
  readDays,
  readDuration,
  readEncryptionKeys,
  readHttpBaseUrl,
  readNetwork,
  readPublicUrl,
  readQuota,
  readServiceUrl,
  readShutdownDelay,
  readStorageLocation,
} from './value-parsers.js';

/** A variable: the parser of its value, and its default. */
export interface Variable<T> {
  /** Throws an error with a message that continues after the name: "must be …". */
  readonly read: (text: string) => T;
  /** The default; null if the variable is optional. */
  readonly fallback: string | null;
  /** Whether `<NAME>_FILE` may name a file with the value, as for secrets of a container. */
  readonly fromFile: boolean;
}

type Optional<T> = Variable<T> & { readonly fallback: null };
type Defaulted<T> = Variable<T> & { readonly fallback: string };

const defaulted = <T>(fallback: string, read: (text: string) => T): Defaulted<T> => ({
  read,
  fallback,
  fromFile: false,
});
const optional = <T>(read: (text: string) => T): Optional<T> => ({ read, fallback: null, fromFile: false });
const secretFile = <T>(read: (text: string) => T): Optional<T> => ({ read, fallback: null, fromFile: true });

/** All variables of the service. `.env.example` and `.env.advanced.example` document exactly these. */
export const VARIABLES = {
  PORT: defaulted('3000', readPort),
  HOST: defaulted('127.0.0.1', readText),
  BASE_URL: optional(readPublicUrl),
  ROLE: defaulted('all', parseChoice('all', 'web', 'worker')),
  DATABASE_URL: secretFile(readDatabaseUrl),
  DATABASE_DIRECT_URL: secretFile(readDatabaseUrl),
  DATABASE_MIGRATION_URL: secretFile(readDatabaseUrl),
  DATABASE_REPLICA_URL: secretFile(readReplicaUrl),
  DATABASE_POOL_SIZE: defaulted('16', readPoolSize),
  DATA_DIR: defaulted('.data', readText),
  GITHUB_URL: defaulted('https://github.com', readServiceUrl),
  GITHUB_API_URL: optional(readServiceUrl),
  GITHUB_APP_ID: secretFile(readAppId),
  GITHUB_APP_SLUG: secretFile(readText),
  GITHUB_APP_CLIENT_ID: secretFile(readText),
  GITHUB_APP_CLIENT_SECRET: secretFile(readText),
  GITHUB_APP_PRIVATE_KEY: secretFile(readPrivateKey),
  GITHUB_WEBHOOK_SECRET: secretFile(readText),
  GITHUB_WEBHOOK_SECRET_ALSO_VALID: secretFile(readText),
  OIDC_ISSUER: defaulted('https://token.actions.githubusercontent.com', readIssuer),
  OIDC_AUDIENCE: defaulted('shipgate', readText),
  TRUSTED_ROOTS: optional(readText),
  OUTGOING_ALLOWED: defaulted('', parseList(readNetwork)),
  CI_ACTION: optional(readCiAction),
  SESSION_SECRET: secretFile(readSessionSecret),
  SESSION_SECRET_ALSO_VALID: secretFile(readSessionSecret),
  ENCRYPTION_KEYS: secretFile(readEncryptionKeys),
  PLATFORM_ADMINS: defaulted('', parseList(readUserId)),
  BILLING: defaulted('on', readSwitch),
  TRUSTED_PROXIES: defaulted('', parseList(readNetwork)),
  SYNC_INTERVAL: defaulted('15m', readDuration),
  REDELIVERY_INTERVAL: defaulted('5m', readDuration),
  STORAGE_URL: optional(readStorageLocation),
  STORAGE_QUOTA: defaulted('50GB', readQuota),
  STORAGE_QUOTA_FREE: defaulted('1GB', readQuota),
  RETENTION_UNSHIPPED: defaulted('365d', readDays(30)),
  RETENTION_INVITES: defaulted('90d', readDays(30)),
  RETENTION_ACCOUNTS: defaulted('365d', readDays(30)),
  // GitHub lists and redelivers a delivery for three days. The inbox must know it longer, to process it once.
  RETENTION_DELIVERIES: defaulted('8d', readDays(8)),
  RETENTION_FAILED_JOBS: defaulted('8d', readDays(1)),
  MAX_UPLOAD_BYTES: defaulted('25MB', readByteSize),
  MAX_FILE_BYTES: defaulted('10MB', readByteSize),
  MAX_INFLATED_BYTES: defaulted('50MB', readByteSize),
  MAX_CONNECTIONS_PER_ADDRESS: defaulted('1000', readCount),
  RATE_LIMITS: defaulted('on', readSwitch),
  METRICS_TOKEN: optional(readMetricsToken),
  SHUTDOWN_DELAY: optional(readShutdownDelay),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(readHttpBaseUrl),
  OTEL_TRACES_SAMPLER_ARG: defaulted('1', readShare),
  LOG_LEVEL: defaulted('info', parseChoice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')),
} as const;

export type VariableName = keyof typeof VARIABLES;

/** The parsed values of all variables. */
export type VariableValues = {
  readonly [Name in VariableName]:
    | ReturnType<(typeof VARIABLES)[Name]['read']>
    | ((typeof VARIABLES)[Name]['fallback'] extends string ? never : null);
};

function readText(text: string): string {
  return text;
}

function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new Error('must be a port from 0 to 65535; 0 takes a free one');
  return port;
}

function readCount(text: string): number {
  const count = Number(text);
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new Error('must be a number from 1 to 999999');
  return count;
}

/** Not normalized, because the `iss` of a token is compared with it character by character. */
function readIssuer(text: string): string {
  readServiceUrl(text);
  return text;
}

/** A worker needs three connections for its lease, its queue and its events, and a few for its jobs. */
function readPoolSize(text: string): number {
  const size = Number(text);
  if (!/^\d{1,4}$/.test(text) || size < 6 || size > 1_000) throw new Error('must be a number from 6 to 1000');
  return size;
}

function readSessionSecret(text: string): string {
  if (text.length < 32) throw new Error('must have at least 32 characters');
  return text;
}

function readMetricsToken(text: string): string {
  // The characters of a bearer token: RFC 6750, § 2.1.
  if (!/^[\w.~+/-]{16,}=*$/.test(text)) throw new Error('must have at least 16 characters of A-Z a-z 0-9 - . _ ~ + /');
  return text;
}

function readShare(text: string): number {
  const share = Number(text);
  if (!/^[\d.]+$/.test(text) || !(share >= 0 && share <= 1)) throw new Error('must be a number from 0 to 1');
  return share;
}

function readUserId(text: string): number {
  const id = Number(text);
  if (!/^[1-9]\d*$/.test(text) || !Number.isSafeInteger(id)) {
    throw new Error(`has "${text}", which is not a numeric GitHub user id`);
  }
  return id;
}

function readSwitch(text: string): boolean {
  return parseChoice('on', 'off')(text) === 'on';
}

function parseChoice<const Choice extends string>(...choices: readonly Choice[]): (text: string) => Choice {
  return (text) => {
    const choice = choices.find((candidate) => candidate === text);
    if (choice === undefined) throw new Error(`must be one of ${choices.join(', ')}`);
    return choice;
  };
}

function parseList<T>(read: (text: string) => T): (text: string) => readonly T[] {
  return (text) =>
    text
      .split(/[\s,]+/)
      .filter((item) => item !== '')
      .map(read);
}
