import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError, EXIT, unknownError, usageError } from '../command-result.js';
import { plainText } from '../plain-text.js';
import { type HttpClient, NoAnswerError } from './http.js';
import type { Env } from '../ci-environment.js';

const TRIES = 6;
const ANSWER_MS = 5_000;
const PAUSE_MS = 500;

/** Whether the run is for a pull request of a fork, for which GitHub issues no identity token. */
function isForkPullRequest(env: Env): boolean {
  const file = env['GITHUB_EVENT_PATH'];
  if (file === undefined || env['GITHUB_EVENT_NAME']?.startsWith('pull_request') !== true) return false;
  try {
    const { pull_request: pull } = JSON.parse(readFileSync(file, 'utf8')) as {
      readonly pull_request?: {
        readonly head?: { readonly repo?: { readonly full_name?: string } | null };
        readonly base?: { readonly repo?: { readonly full_name?: string } };
      };
    };
    return pull !== undefined && pull.head?.repo?.full_name !== pull.base?.repo?.full_name;
  } catch {
    return false;
  }
}

const FORK =
  'The run is for a pull request of a fork. GitHub gives such runs no identity token, so they cannot use Shipgate.';

const NOT_GRANTED = `GitHub offers this job no identity token. Grant the permission in the job:

    permissions:
      contents: read
      id-token: write

A job that names one permission loses all that it does not name. A called workflow cannot have more permissions than its caller.`;

/** Ends a command in a run that cannot use Shipgate. An upload catches it. A gate stays unknown. */
export class ForkRunError extends CommandError {
  constructor() {
    super(EXIT.unknown, 'unknown', FORK);
  }
}

/** Requests an identity token of the run once (GitHub's endpoint for OpenID Connect). Throws a `NoAnswerError` if none came. */
async function requestOnce(http: HttpClient, audience: string, env: Env): Promise<string> {
  const address = new URL(env['ACTIONS_ID_TOKEN_REQUEST_URL'] ?? '');
  address.searchParams.set('audience', audience);
  const { status, body } = await http.sendOnce({
    method: 'GET',
    url: address.href,
    headers: () => ({
      authorization: `Bearer ${env['ACTIONS_ID_TOKEN_REQUEST_TOKEN']}`,
      accept: 'application/json',
    }),
    answerMs: ANSWER_MS,
  });
  const token = status === 200 ? readToken(body) : null;
  if (token !== null) return token;
  const problem = status === 200 ? 'its answer has no token' : `it answered ${status}`;
  throw new NoAnswerError(problem, status !== 401 && status !== 403);
}

/**
 * Requests an identity token of the run until GitHub returns one. The audience is a setting, never an answer of the service, because the
 * owner of a wrong address could otherwise request a token that another service accepts.
 */
export async function requestIdentityToken(
  http: HttpClient,
  audience: string,
  env: Env,
  report: (line: string) => void,
): Promise<string> {
  if (!env['ACTIONS_ID_TOKEN_REQUEST_URL'] || !env['ACTIONS_ID_TOKEN_REQUEST_TOKEN']) {
    if (isForkPullRequest(env)) throw new ForkRunError();
    throw usageError(NOT_GRANTED);
  }
  let problem = '';
  for (let tries = 1; tries <= TRIES; tries += 1) {
    try {
      return await requestOnce(http, audience, env);
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      problem = error.sentence;
      if (!error.isTemporary) break;
    }
    if (tries < TRIES) {
      report(`GitHub's endpoint for identity tokens failed: ${problem} Next try in ${(PAUSE_MS * tries) / 1_000} s.`);
      await sleep(PAUSE_MS * tries);
    }
  }
  throw unknownError(`GitHub gave no identity token: ${problem}`);
}

function readToken(body: string): string | null {
  try {
    const { value } = JSON.parse(body) as { readonly value?: unknown };
    return typeof value === 'string' && value.split('.').length === 3 ? value : null;
  } catch {
    return null;
  }
}

/** The claims of a token that explain a rejection. None of them is a secret. */
const PRINTED_CLAIMS = ['aud', 'repository', 'ref', 'event_name', 'job_workflow_ref', 'iss'] as const;

/** Returns the claims of a token; null if it is not a token. Their signature is not verified. */
export function readClaims(token: string): Readonly<Record<string, unknown>> | null {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as Readonly<
      Record<string, unknown>
    >;
  } catch {
    return null;
  }
}

/** Returns the claims of a token as text; null if it is not a token. */
export function describeClaims(token: string): string | null {
  const claims = readClaims(token);
  return claims && plainText(PRINTED_CLAIMS.map((name) => `${name}=${JSON.stringify(claims[name])}`).join(' '));
}
