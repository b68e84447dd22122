/** What the service believes of a CI run: the claims of its verified identity token, each of a known type and size. */
export interface IdentityClaims {
  /** Unique to the token. */
  readonly jti: string;
  readonly repositoryGithubId: number;
  readonly ownerGithubId: number;
  /** `owner/name` as it was when the token was made: a label, never a key. */
  readonly repository: string;
  readonly sha: string;
  /** `refs/heads/main`; null where the token has none. */
  readonly ref: string | null;
  readonly runId: number;
  readonly runAttempt: number;
  /** The event that started the run, as `push`. */
  readonly event: string;
  /** The workflow's name; null where the token has none. */
  readonly workflow: string | null;
  /** The job's check run; null where the token has none, as on GitHub Enterprise Server. */
  readonly checkRunId: number | null;
}

export type ClaimsReading =
  { readonly ok: true; readonly claims: IdentityClaims } | { readonly ok: false; readonly claim: string };

const DECIMAL = /^[1-9][0-9]{0,15}$/;
/** Postgres stores neither NUL nor lone surrogates, and no claim has a reason for any other control character. */
const UNSTORABLE = /[\p{Cc}\p{Cs}]/u;

/** GitHub sends ids as decimal strings; other issuers send integers. */
function idOf(value: unknown): number | undefined {
  const id = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : undefined;
}

const textOf =
  (maxLength: number, shape: RegExp = /^/) =>
  (value: unknown): string | undefined =>
    typeof value === 'string' &&
    value.length > 0 &&
    value.length <= maxLength &&
    !UNSTORABLE.test(value) &&
    shape.test(value)
      ? value
      : undefined;

const orElse =
  <T, E>(read: (value: unknown) => T | undefined, absent: E) =>
  (value: unknown): T | E | undefined =>
    value === undefined ? absent : read(value);

/**
 * Each claim with its name in the token (GitHub, "OpenID Connect reference") and its reader, which gives undefined for a
 * value that is missing or wrong. `sub` is not among them: its format is the customer's to change.
 */
const READERS = {
  jti: ['jti', textOf(256)],
  repositoryGithubId: ['repository_id', idOf],
  ownerGithubId: ['repository_owner_id', idOf],
  repository: ['repository', textOf(200, /^[\w.-]+\/[\w.-]+$/)],
  sha: ['sha', textOf(40, /^[0-9a-f]{40}$/)],
  ref: ['ref', orElse(textOf(1024), null)],
  runId: ['run_id', idOf],
  runAttempt: ['run_attempt', orElse(idOf, 1)],
  event: ['event_name', textOf(64, /^[a-z_]+$/)],
  workflow: ['workflow', orElse(textOf(1024), null)],
  checkRunId: ['check_run_id', orElse(idOf, null)],
} as const satisfies {
  [K in keyof IdentityClaims]: readonly [string, (value: unknown) => IdentityClaims[K] | undefined];
};

/** Reads the claims of a verified token, or names the first one that is missing, of another type, or out of bounds. */
export function readIdentityClaims(payload: Readonly<Record<string, unknown>>): ClaimsReading {
  const claims: Record<string, unknown> = {};
  for (const [property, [claim, read]] of Object.entries(READERS)) {
    const value = Object.hasOwn(payload, claim) ? read(payload[claim]) : read(undefined);
    if (value === undefined) return { ok: false, claim };
    claims[property] = value;
  }
  return { ok: true, claims: claims as unknown as IdentityClaims };
}
