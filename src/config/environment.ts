import type { AppCredentials } from './app-credentials.js';
import type { CiAction, EncryptionKey, StorageLocation } from './value-parsers.js';

/** The injection token of the parsed environment. */
export const ENVIRONMENT = Symbol('environment');

type ProcessRole = 'all' | 'web' | 'worker';

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** The maximum sizes of bodies in bytes. A larger body is rejected with 413. */
export interface BodyLimits {
  /** A complete multipart upload. */
  readonly uploadBytes: number;
  /** One file of a multipart upload. */
  readonly fileBytes: number;
  /** The inflated size of one upload. */
  readonly inflatedBytes: number;
  /** A complete JSON upload. The same limit as one file, because it is held in memory like a file. */
  readonly jsonUploadBytes: number;
  /** One file inside a JSON upload: half of it. */
  readonly jsonFileBytes: number;
}

/** The settings of the environment. They are read once at the start and never change. */
export interface Environment {
  /** `PORT`. 0 selects a free port. */
  readonly port: number;
  /** `HOST`: the listen address. */
  readonly host: string;
  /** `BASE_URL`: the public URL, without a trailing slash. With `PORT=0` and no `BASE_URL` its port is also 0. */
  readonly baseUrl: string;
  /** `ROLE`: which part of the service this process is. */
  readonly role: ProcessRole;
  /** `DATABASE_URL`, as the runtime role; null for the embedded database. */
  readonly databaseUrl: string | null;
  /** `DATABASE_DIRECT_URL`: the same database and role without a pooler; null if `DATABASE_URL` leads to the server. */
  readonly databaseDirectUrl: string | null;
  /** `DATABASE_REPLICA_URL`: a standby for exports and whole lists; null if there is none. */
  readonly databaseReplicaUrl: string | null;
  /** `DATABASE_POOL_SIZE`: the maximum number of connections of this process for its requests and jobs. */
  readonly databasePoolSize: number;
  /** `DATABASE_MIGRATION_URL`, as the owner; null if only `DATABASE_URL` is set, or for the embedded database. */
  readonly databaseMigrationUrl: string | null;
  /** `DATA_DIR`: the embedded database and generated secrets. */
  readonly dataDir: string;
  /** `GITHUB_URL`: the base URL of the web pages, without a trailing slash. */
  readonly githubUrl: string;
  /** `GITHUB_API_URL`: the base URL of the REST API, without a trailing slash. */
  readonly githubApiUrl: string;
  /** `GITHUB_APP_*`, `GITHUB_WEBHOOK_SECRET`: all of them; null if the set-up provides them. */
  readonly app: AppCredentials | null;
  /** `OIDC_ISSUER`: the exact `iss` of identity tokens. */
  readonly oidcIssuer: string;
  /** `OIDC_AUDIENCE`: the exact `aud` of identity tokens. */
  readonly oidcAudience: string;
  /** `TRUSTED_ROOTS`: the path of further trusted roots of provenance; null if there are none. */
  readonly trustedRoots: string | null;
  /** `OUTGOING_ALLOWED`: the addresses and CIDRs outside the internet to which the service may send requests. */
  readonly outgoingAllowed: readonly string[];
  /** `CI_ACTION`: the actions that the managed workflow files use; null for shell scripts. */
  readonly ciAction: CiAction | null;
  /** `GITHUB_WEBHOOK_SECRET_ALSO_VALID`: a second secret of deliveries, while it is changed. */
  readonly webhookSecretAlsoValid: string | null;
  /** `SESSION_SECRET`: signs session cookies and invites. */
  readonly sessionSecret: string;
  /** `SESSION_SECRET_ALSO_VALID`: verifies cookies and invites, and signs nothing. */
  readonly sessionSecretAlsoValid: string | null;
  /** `ENCRYPTION_KEYS`: the first encrypts, all decrypt. */
  readonly encryptionKeys: readonly [EncryptionKey, ...EncryptionKey[]];
  /** `PLATFORM_ADMINS`: numeric GitHub user ids. */
  readonly platformAdmins: readonly number[];
  /** `BILLING`: whether plans have limits. */
  readonly billing: boolean;
  /** `TRUSTED_PROXIES`: the addresses and CIDRs of proxies with trusted forwarding headers. */
  readonly trustedProxies: readonly string[];
  /** `SYNC_INTERVAL`: the time between two full syncs of an installation. */
  readonly syncIntervalMs: number;
  /** `REDELIVERY_INTERVAL`: the time between two checks for missed webhook deliveries. */
  readonly redeliveryIntervalMs: number;
  /** `STORAGE_URL`: the store of report files; null for the database. */
  readonly storage: StorageLocation | null;
  /** `STORAGE_QUOTA_FREE` and `STORAGE_QUOTA`: the bytes of evidence that a workspace of each plan may store; null for no limit. */
  readonly storageQuotas: { readonly free: number | null; readonly pro: number | null };
  /**
   * `RETENTION_UNSHIPPED`, `RETENTION_INVITES`, `RETENTION_ACCOUNTS`, `RETENTION_DELIVERIES`, `RETENTION_FAILED_JOBS`: days until
   * data that is not needed any more is deleted; null for never.
   */
  readonly retentionDays: {
    readonly unshipped: number | null;
    readonly invites: number | null;
    readonly accounts: number | null;
    readonly deliveries: number | null;
    readonly failedJobs: number | null;
  };
  /** `MAX_UPLOAD_BYTES`, `MAX_FILE_BYTES`, `MAX_INFLATED_BYTES`. */
  readonly limits: BodyLimits;
  /** `MAX_CONNECTIONS_PER_ADDRESS`: the maximum number of open connections of one client. */
  readonly maxConnectionsPerAddress: number;
  /** `RATE_LIMITS`: whether rate limits apply. */
  readonly rateLimits: boolean;
  /** `METRICS_TOKEN`: the bearer token for `GET /metrics`; without it the route answers 404. */
  readonly metricsToken: string | null;
  /** `SHUTDOWN_DELAY`: how long a process serves requests after a signal while it is not ready. */
  readonly shutdownDelayMs: number;
  /** `OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_TRACES_SAMPLER_ARG`: the collector of traces, and the share of traces; null for none. */
  readonly traces: { readonly endpoint: string; readonly ratio: number } | null;
  /** `LOG_LEVEL`: the lowest level that is logged. */
  readonly logLevel: LogLevel;
}

/** An invalid environment. The message contains every problem and no secret. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
  /** EX_CONFIG of sysexits.h. A supervisor should not restart the process without a change. */
  readonly exitCode = 78;

  constructor(readonly problems: readonly string[]) {
    super(`The environment is not valid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
  }
}
