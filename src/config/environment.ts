import type { AppCredentials } from './app-credentials.js';
import type { EncryptionKey, StorageLocation } from './value-parsers.js';

/** The injection token of the parsed environment. */
export const ENVIRONMENT = Symbol('environment');

type ProcessRole = 'all' | 'web' | 'worker';

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** The maximum sizes of bodies in bytes. A larger body is rejected with 413. */
export interface BodyLimits {
  /** A multipart upload, whole. */
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
  /** `BASE_URL`: the public address, without a slash at its end; with `PORT=0` and no `BASE_URL` its port is 0 too. */
  readonly baseUrl: string;
  /** `ROLE`: which part of the service this process is. */
  readonly role: ProcessRole;
  /** `DATABASE_URL`, as the runtime role; null for the embedded database. */
  readonly databaseUrl: string | null;
  /** `DATABASE_MIGRATION_URL`, as the owner; null where nothing but `DATABASE_URL` (or the embedded database) is given. */
  readonly databaseMigrationUrl: string | null;
  /** `DATA_DIR`: the embedded database and generated secrets. */
  readonly dataDir: string;
  /** `GITHUB_URL`: base of the web pages, without a slash at its end. */
  readonly githubUrl: string;
  /** `GITHUB_API_URL`: base of the REST interface, without a slash at its end. */
  readonly githubApiUrl: string;
  /** `GITHUB_APP_*`, `GITHUB_WEBHOOK_SECRET`: all of them; null where the set-up gives them. */
  readonly app: AppCredentials | null;
  /** `OIDC_ISSUER`: exactly what an identity token's `iss` must be. */
  readonly oidcIssuer: string;
  /** `OIDC_AUDIENCE`: exactly what an identity token's `aud` must be. */
  readonly oidcAudience: string;
  /** `SESSION_SECRET`: signs session cookies and invites. */
  readonly sessionSecret: string;
  /** `ENCRYPTION_KEYS`: the first encrypts, all decrypt. */
  readonly encryptionKeys: readonly [EncryptionKey, ...EncryptionKey[]];
  /** `PLATFORM_ADMINS`: numeric GitHub user ids. */
  readonly platformAdmins: readonly number[];
  /** `BILLING`: whether plans limit anything. */
  readonly billing: boolean;
  /** `TRUSTED_PROXIES`: addresses and CIDRs whose forwarding headers count. */
  readonly trustedProxies: readonly string[];
  /** `SYNC_INTERVAL`: between two full reconciliations of an installation. */
  readonly syncIntervalMs: number;
  /** `REDELIVERY_INTERVAL`: between two looks for missed webhook deliveries. */
  readonly redeliveryIntervalMs: number;
  /** `STORAGE_URL`: where report files go; null for the database. */
  readonly storage: StorageLocation | null;
  /** `STORAGE_QUOTA_FREE` and `STORAGE_QUOTA`: how many bytes of evidence a workspace may store by its plan; null is any number. */
  readonly storageQuotas: { readonly free: number | null; readonly pro: number | null };
  /** `MAX_UPLOAD_BYTES`, `MAX_FILE_BYTES`, `MAX_INFLATED_BYTES`. */
  readonly limits: BodyLimits;
  /** `MAX_CONNECTIONS_PER_ADDRESS`: how many connections one client may have open at once. */
  readonly maxConnectionsPerAddress: number;
  /** `RATE_LIMITS`: whether requests are counted. */
  readonly rateLimits: boolean;
  /** `METRICS_TOKEN`: the bearer that opens `GET /metrics`; null keeps it closed. */
  readonly metricsToken: string | null;
  /** `LOG_LEVEL`: the least severe line that is written. */
  readonly logLevel: LogLevel;
}

/** An invalid environment. The message contains every problem and no secret. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
  /** EX_CONFIG of sysexits.h: the exit code that tells a supervisor not to restart without a change. */
  readonly exitCode = 78;

  constructor(readonly problems: readonly string[]) {
    super(`The environment does not hold:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
  }
}
