import { DEFAULT_KEY_SCOPES, KEY_SCOPES, type KeyScope } from '../../domain/keys/key-scope.js';
import { CommandError, errorMessage, EXIT, type ExitCode } from '../command-result.js';
import { readLogin } from '../login-file.js';
import { isInCi } from '../ci-environment.js';
import { parseObject, plainText } from '../plain-text.js';
import { checkKey, Credential } from '../service/credential.js';
import type { HttpAnswer, HttpClient, NoAnswerError } from '../service/http.js';
import { readClaims } from '../service/identity-token.js';
import { readSecret } from '../settings.js';
import type { CommandContext } from './command-context.js';

/** One result of `doctor`. */
export interface DoctorResult {
  readonly name: string;
  readonly result: 'ok' | 'note' | 'failed' | 'unknown';
  /** One sentence. For a failed check it contains the fix. */
  readonly detail: string;
  /** The exit code of any command that meets this problem. The default is 2 for a failed check, and 3 for an unknown result. */
  readonly exit?: ExitCode;
}

/** The settings that the service publishes for clients. */
export interface CiConfig {
  readonly version: string;
  readonly audience: string;
  readonly issuer: string;
}

export interface ReadCredential {
  readonly kind: Credential['kind'];
  /** The value of the `Authorization` header. */
  readonly header: string;
}

/** What the service says about a credential. */
export interface CredentialDescription {
  readonly scopes: readonly string[];
  /** Null if it can access all repositories of the workspace. */
  readonly repos: readonly string[] | null;
  readonly expiresAt: Date | null;
}

const BEARER = 'Bearer ';
const NAME = 'credential';
/** The exit code of a command whose credential the service does not accept. */
const NOT_ACCEPTED = EXIT.unknown;
const DAY_MS = 86_400_000;
/** An earlier end of a key is worth a note. */
const SOON_MS = 30 * DAY_MS;
const PURPOSES: Readonly<Record<KeyScope, string>> = {
  'evidence:write': 'upload evidence',
  'gate:read': 'check the gate and find releases',
  'deployment:write': 'report deployments',
};

export async function readCredential(
  { env, note, maskToken }: CommandContext,
  http: HttpClient,
): Promise<ReadCredential | Error> {
  try {
    const credential = Credential.choose(http, env, note, maskToken);
    return { kind: credential.kind, header: await credential.header() };
  } catch (error) {
    return error instanceof Error ? error : new Error(errorMessage(error));
  }
}

/** Checks the form of the personal key of a user, if there is one. The key is not sent. */
export function* checkPersonalKey({ env }: CommandContext): Generator<DoctorResult> {
  const name = 'personal key';
  try {
    const key = readSecret('SHIPGATE_PERSONAL_KEY', env) ?? (isInCi(env) ? null : (readLogin(env)?.key ?? null));
    if (key === null) return;
    checkKey(key, 'sgp');
    yield { name, result: 'ok', detail: 'Its checksum is right.' };
  } catch (error) {
    yield { name, result: 'failed', detail: errorMessage(error) };
  }
}

/**
 * Checks a credential before it is sent: the checksum of a key, and the claims of a token against what the service expects. The
 * credential may be sent only if no check failed.
 */
export function* checkForms(credential: ReadCredential | Error, config: CiConfig | null): Generator<DoctorResult> {
  if (credential instanceof Error) {
    const isUsage = credential instanceof CommandError && credential.exit === EXIT.usage;
    yield { name: NAME, result: isUsage ? 'failed' : 'unknown', detail: credential.message };
    return;
  }
  const secret = credential.header.slice(BEARER.length);
  if (credential.kind === 'API key') {
    yield { name: NAME, result: 'ok', detail: 'There is an API key. Its checksum is right.' };
    return;
  }
  const claims = readClaims(secret);
  if (claims === null) {
    yield { name: NAME, result: 'failed', detail: 'SHIPGATE_ID_TOKEN is not an identity token.', exit: NOT_ACCEPTED };
    return;
  }
  yield { name: NAME, result: 'ok', detail: `There is an ${credential.kind}.` };
  if (config === null) return;
  const audiences = [claims['aud']].flat();
  if (!audiences.includes(config.audience)) {
    const detail = `The token is for ${JSON.stringify(claims['aud'])}, but Shipgate expects "${config.audience}". Set SHIPGATE_AUDIENCE.`;
    yield { name: 'audience', result: 'failed', detail: plainText(detail), exit: NOT_ACCEPTED };
  }
  if (claims['iss'] !== config.issuer) {
    const detail = `The token is from ${JSON.stringify(claims['iss'])}, but Shipgate accepts ${config.issuer} only.`;
    yield { name: 'issuer', result: 'failed', detail: plainText(detail), exit: NOT_ACCEPTED };
  }
}

/** Reads what the service says about the credential; null if it does not accept it, or is too old to say. */
export function readDescription(answer: HttpAnswer | NoAnswerError): CredentialDescription | null {
  if (answer instanceof Error || answer.status !== 200) return null;
  const { scopes, repos, expiresAt } = parseObject(answer.body);
  if (!Array.isArray(scopes)) return null;
  const texts = (list: readonly unknown[]): readonly string[] =>
    list.filter((one) => typeof one === 'string').map(plainText);
  return {
    scopes: texts(scopes),
    repos: Array.isArray(repos) ? texts(repos) : null,
    expiresAt: typeof expiresAt === 'string' ? new Date(expiresAt) : null,
  };
}

/** Checks what the credential may do, for which repositories, and until when. */
export function* checkRights(
  kind: Credential['kind'],
  { scopes, repos, expiresAt }: CredentialDescription,
  repository: string | undefined,
): Generator<DoctorResult> {
  // Only a job that deploys needs the scope for deployments.
  const missing = DEFAULT_KEY_SCOPES.filter((scope) => !scopes.includes(scope));
  const held = KEY_SCOPES.filter((scope) => scopes.includes(scope)).map((scope) => PURPOSES[scope]);
  yield {
    name: 'scopes',
    result: missing.length === 0 ? 'ok' : 'failed',
    detail:
      `The ${kind} may ${held.join(', and ')}.` +
      missing.map((scope) => ` It may not ${PURPOSES[scope]}, because it lacks the scope ${scope}.`).join(''),
    exit: NOT_ACCEPTED,
  };
  // The repository of a token is that of its run. It may check the gate of any repository of its organization.
  if (kind === 'identity token') return;
  yield checkRepositories(repos, repository);
  yield checkExpiry(expiresAt);
}

function checkRepositories(repos: readonly string[] | null, repository: string | undefined): DoctorResult {
  const name = 'repositories';
  if (repos === null) return { name, result: 'ok', detail: 'The key is for every repository of the workspace.' };
  const listed = repos.length === 0 ? 'no repository that exists' : repos.join(', ');
  const asked = repository?.toLowerCase();
  const isListed =
    asked === undefined || repos.some((one) => one.toLowerCase() === asked || one.toLowerCase().endsWith(`/${asked}`));
  if (isListed) return { name, result: 'ok', detail: `The key is for ${listed}.` };
  // As the service answers for a repository that the credential may not access.
  return {
    name,
    result: 'failed',
    detail: `The key is for ${listed}, and not for ${plainText(repository ?? '')}. Use another key.`,
    exit: EXIT.unknown,
  };
}

function checkExpiry(expiresAt: Date | null): DoctorResult {
  const name = 'expiry';
  if (expiresAt === null) return { name, result: 'note', detail: 'The key does not expire.' };
  const leftMs = expiresAt.getTime() - Date.now();
  const day = expiresAt.toISOString().slice(0, 'yyyy-mm-dd'.length);
  if (leftMs > SOON_MS) return { name, result: 'ok', detail: `The key expires on ${day}.` };
  const days = Math.max(0, Math.ceil(leftMs / DAY_MS));
  const detail = `The key expires on ${day}, in ${days === 1 ? 'a day' : `${days} days`}. Replace it before that day.`;
  return { name, result: 'note', detail };
}
