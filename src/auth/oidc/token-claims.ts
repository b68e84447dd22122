/** The claims of a verified identity token, each with a checked type and size. */
export interface IdentityClaims {
  /** Unique to the token. */
  readonly jti: string;
  readonly repositoryGithubId: number;
  readonly ownerGithubId: number;
  /** `owner/name` when the token was issued. A label, never a key. */
  readonly repository: string;
  readonly sha: string;
  /** `refs/heads/main`. Null if the token has none. */
  readonly ref: string | null;
  readonly runId: number;
  readonly runAttempt: number;
  /** The event that started the run, such as `push`. */
  readonly event: string;
  /** The name of the workflow. Null if the token has none. */
  readonly workflow: string | null;
  /** The environment that the job deploys to. Null if it names none. */
  readonly environment: string | null;
  /** The check run of the job. Null if the token has none, as on GitHub Enterprise Server. */
  readonly checkRunId: number | null;
}

export type ClaimsResult =
  | { readonly ok: true; readonly claims: IdentityClaims }
  | { readonly ok: false; readonly claim: string };

const DECIMAL = /^[1-9][0-9]{0,15}$/;
/** Postgres stores neither NUL nor lone surrogates. No valid claim contains another control character. */
const UNSTORABLE = /[\p{Cc}\p{Cs}]/u;

/** GitHub sends ids as decimal strings; other issuers send integers. */
function readId(value: unknown): number | undefined {
  const id = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : undefined;
}

const readText =
  (maxLength: number, shape: RegExp = /^/) =>
  (value: unknown): string | undefined =>
    typeof value === 'string' &&
    value.length > 0 &&
    value.length <= maxLength &&
    !UNSTORABLE.test(value) &&
    shape.test(value)
      ? value
      : undefined;

const withDefault =
  <T, E>(read: (value: unknown) => T | undefined, absent: E) =>
  (value: unknown): T | E | undefined =>
    value === undefined ? absent : read(value);

/**
 * Each claim with its name in the token (GitHub, "OpenID Connect reference") and its reader. A reader returns undefined for a
 * missing or invalid value. `sub` is not read, because each organization can change its format.
 */
const READERS = {
  jti: ['jti', readText(256)],
  repositoryGithubId: ['repository_id', readId],
  ownerGithubId: ['repository_owner_id', readId],
  repository: ['repository', readText(200, /^[\w.-]+\/[\w.-]+$/)],
  sha: ['sha', readText(40, /^[0-9a-f]{40}$/)],
  ref: ['ref', withDefault(readText(1024), null)],
  runId: ['run_id', readId],
  runAttempt: ['run_attempt', withDefault(readId, 1)],
  event: ['event_name', readText(64, /^[a-z_]+$/)],
  workflow: ['workflow', withDefault(readText(1024), null)],
  environment: ['environment', withDefault(readText(1024), null)],
  checkRunId: ['check_run_id', withDefault(readId, null)],
} as const satisfies {
  [K in keyof IdentityClaims]: readonly [string, (value: unknown) => IdentityClaims[K] | undefined];
};

/** Reads the claims of a verified token. Otherwise returns the first claim that is missing, of another type or too long. */
export function readIdentityClaims(payload: Readonly<Record<string, unknown>>): ClaimsResult {
  const claims: Record<string, unknown> = {};
  for (const [property, [claim, read]] of Object.entries(READERS)) {
    const value = Object.hasOwn(payload, claim) ? read(payload[claim]) : read(undefined);
    if (value === undefined) return { ok: false, claim };
    claims[property] = value;
  }
  return { ok: true, claims: claims as unknown as IdentityClaims };
}
