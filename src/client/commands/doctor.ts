import { spawnSync } from 'node:child_process';
import { CLIENT_VERSION } from '../client-version.js';
import { CommandError, type CommandResult, errorMessage, EXIT } from '../command-result.js';
import { type Env, isInCi } from '../ci-environment.js';
import { readLogin } from '../login-file.js';
import { parseObject } from '../parse-object.js';
import { plainText } from '../plain-text.js';
import { Credential } from '../service/credential.js';
import { HttpClient, type HttpAnswer, NoAnswerError } from '../service/http.js';
import { readClaims } from '../service/identity-token.js';
import { readSecret, serviceAddress } from '../settings.js';
import { gitEnvironment } from '../upload/select-files.js';
import { type CommandContext, parseCommit } from './command-context.js';

const ANSWER_MS = 10_000;
/** Identity tokens are valid for minutes, so a larger clock error makes them invalid. */
const MAX_CLOCK_ERROR_MS = 30_000;
const BEARER = 'Bearer ';
const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'] as const;

type Result = 'ok' | 'note' | 'failed' | 'unknown';

interface Check {
  readonly name: string;
  readonly result: Result;
  /** One sentence. For a failed check it contains the fix. */
  readonly detail: string;
}

/** The settings that the service publishes for clients. */
interface CiConfig {
  readonly version: string;
  readonly audience: string;
  readonly issuer: string;
}

/** Checks the connection to Shipgate. Ends with 1 if a check failed, and with 3 if no answer came. */
export async function doctor(context: CommandContext): Promise<CommandResult> {
  const checks: Check[] = [];
  const http = new HttpClient(context.env);
  try {
    for await (const check of examine(context, http)) checks.push(check);
  } finally {
    await http.close();
  }
  const has = (result: Result): boolean => checks.some((check) => check.result === result);
  const exit = has('failed') ? EXIT.no : has('unknown') ? EXIT.unknown : EXIT.yes;
  const outcome = { [EXIT.yes]: 'healthy', [EXIT.no]: 'unhealthy', [EXIT.unknown]: 'unknown' } as const;
  return {
    exit,
    outcome: outcome[exit],
    members: { checks },
    lines: checks.map(({ name, result, detail }) => `${result.padEnd(7)}  ${name.padEnd(10)}  ${detail}`),
  };
}

async function* examine(context: CommandContext, http: HttpClient): AsyncGenerator<Check> {
  const { args, env, ci } = context;
  yield { name: 'tool', result: 'ok', detail: `shipgate ${CLIENT_VERSION} with Node ${process.versions.node}.` };
  yield { name: 'CI', result: 'ok', detail: ci.system ?? 'No known CI system.' };
  yield checkGit(env);
  const url = attempt(() => serviceAddress(args.text('url') ?? storedAddress(context), env));
  if (url instanceof Error) {
    yield { name: 'address', result: 'failed', detail: url.message };
    return;
  }
  yield { name: 'address', result: 'ok', detail: url };
  const proxies = PROXIES.filter((name) => env[name]);
  if (proxies.length > 0) {
    yield { name: 'proxy', result: 'note', detail: `${proxies.join(' and ')} is set. NO_PROXY names exceptions.` };
  }
  const ready = await request(http, `${url}/api/health/ready`);
  yield checkReadiness(ready);
  // The credential is for Shipgate only.
  if (ready instanceof Error || !isShipgate(ready)) return;
  yield checkClock(ready);
  const config = readConfig(await request(http, `${url}/api/config/ci`));
  yield checkVersion(config);
  const credential = await readCredential(context, http);
  yield* checkCredential(credential, config);
  if (!(credential instanceof Error)) yield await checkRepository(context, http, url, credential.header);
}

function checkGit(env: Env): Check {
  const { status } = spawnSync('git', ['--version'], { stdio: 'ignore', env: gitEnvironment(env) });
  const detail =
    status === 0 ? 'git is installed.' : 'git is not installed, so `upload` cannot detect committed files.';
  return { name: 'git', result: status === 0 ? 'ok' : 'note', detail };
}

function checkReadiness(ready: HttpAnswer | NoAnswerError): Check {
  const name = 'service';
  if (ready instanceof Error) return { name, result: 'unknown', detail: `${ready.message}.` };
  if (isShipgate(ready) && ready.status === 200) return { name, result: 'ok', detail: 'Shipgate is ready.' };
  if (isShipgate(ready)) return { name, result: 'unknown', detail: 'Shipgate is not ready now. Try again later.' };
  const detail =
    ready.location === null
      ? `The address answered ${ready.status}, and not as Shipgate does.`
      : `The address redirects to ${plainText(ready.location)}. Name the right address.`;
  return { name, result: 'failed', detail };
}

/** Whether the answer is that of Shipgate's readiness. A captive portal answers everything with 200. */
function isShipgate({ status, body }: HttpAnswer): boolean {
  const { status: state, error } = parseObject(body);
  return (status === 200 && state === 'ready') || (status === 503 && typeof error === 'string');
}

function checkClock({ date }: HttpAnswer): Check {
  const name = 'clock';
  if (date === null) return { name, result: 'note', detail: 'The service did not return its time.' };
  const error = Date.now() - date.getTime();
  if (Math.abs(error) <= MAX_CLOCK_ERROR_MS)
    return { name, result: 'ok', detail: 'It agrees with the clock of Shipgate.' };
  const seconds = Math.round(Math.abs(error) / 1_000);
  const direction = error > 0 ? 'ahead of' : 'behind';
  return { name, result: 'failed', detail: `It is ${seconds} s ${direction} the clock of Shipgate. Set the clock.` };
}

function checkVersion(config: CiConfig | null): Check {
  const name = 'version';
  if (config === null) return { name, result: 'note', detail: 'The service does not return its version.' };
  const detail = `The service has version ${config.version}, and this tool ${CLIENT_VERSION}.`;
  return { name, result: config.version === CLIENT_VERSION ? 'ok' : 'note', detail };
}

interface ReadCredential {
  readonly kind: Credential['kind'];
  /** The value of the `Authorization` header. */
  readonly header: string;
}

async function readCredential(
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

/** Compares the claims of a token with the expected values of the service. A key is checked only by its use. */
function* checkCredential(credential: ReadCredential | Error, config: CiConfig | null): Generator<Check> {
  const name = 'credential';
  if (credential instanceof Error) {
    const result = credential instanceof CommandError && credential.exit === EXIT.usage ? 'failed' : 'unknown';
    yield { name, result, detail: credential.message };
    return;
  }
  const claims = credential.kind === 'identity token' ? readClaims(credential.header.slice(BEARER.length)) : null;
  if (credential.kind === 'identity token' && claims === null) {
    yield { name, result: 'failed', detail: 'SHIPGATE_ID_TOKEN is not an identity token.' };
    return;
  }
  yield { name, result: 'ok', detail: `There is an ${credential.kind}.` };
  if (claims === null || config === null) return;
  const audiences = [claims['aud']].flat();
  if (!audiences.includes(config.audience)) {
    const detail = `The token is for ${JSON.stringify(claims['aud'])}, but Shipgate expects "${config.audience}". Set SHIPGATE_AUDIENCE.`;
    yield { name: 'audience', result: 'failed', detail: plainText(detail) };
  }
  if (claims['iss'] !== config.issuer) {
    const detail = `The token is from ${JSON.stringify(claims['iss'])}, but Shipgate accepts ${config.issuer} only.`;
    yield { name: 'issuer', result: 'failed', detail: plainText(detail) };
  }
}

/**
 * Reads the policy, which needs a valid credential that may read the repository. The default of the commit is that of the run, or the
 * head of the default branch.
 */
async function checkRepository(
  { args, env, ci }: CommandContext,
  http: HttpClient,
  url: string,
  authorization: string,
): Promise<Check> {
  const name = 'repository';
  const repo = args.text('repo') ?? (env['SHIPGATE_REPO'] || ci.repository);
  const sha = args.text('commit') ?? ci.commit;
  if (repo === undefined) return { name, result: 'note', detail: 'Not checked. Use --repo OWNER/NAME.' };
  const commit = attempt(() => (sha === undefined ? null : parseCommit(sha, '--commit')));
  if (commit instanceof Error) return { name, result: 'failed', detail: commit.message };
  const query = new URLSearchParams({ repo, ...(commit !== null && { sha: commit }) });
  const answer = await request(http, `${url}/api/policy/check?${query.toString()}`, { authorization });
  if (answer instanceof Error) return { name, result: 'unknown', detail: `${answer.message}.` };
  const { status, error } = parseObject(answer.body);
  if (answer.status === 200 && typeof status === 'string') {
    const place = commit === null ? 'on its default branch' : 'at this commit';
    const detail = `Shipgate knows ${plainText(repo)}. Its policy is ${plainText(status)} ${place}.`;
    return { name, result: 'ok', detail };
  }
  const sentence = typeof error === 'string' ? plainText(error) : `The answer was ${answer.status}.`;
  const isTemporary = answer.status === 429 || answer.status >= 500;
  return { name, result: isTemporary ? 'unknown' : 'failed', detail: sentence };
}

/** Returns the address of the stored login, if no other address is given. */
const storedAddress = ({ env }: CommandContext): string | undefined =>
  env['SHIPGATE_URL'] || isInCi(env) || readSecret('SHIPGATE_PERSONAL_KEY', env) !== null
    ? undefined
    : readLogin(env)?.url;

const request = (
  http: HttpClient,
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpAnswer | NoAnswerError> =>
  http
    .sendOnce({ method: 'GET', url, headers: () => ({ ...headers, accept: 'application/json' }), answerMs: ANSWER_MS })
    .catch((error: unknown) => {
      if (error instanceof NoAnswerError) return error;
      throw error;
    });

function readConfig(answer: HttpAnswer | NoAnswerError): CiConfig | null {
  if (answer instanceof Error || answer.status !== 200) return null;
  const { version, audience, issuer } = parseObject(answer.body);
  if (typeof version !== 'string' || typeof audience !== 'string' || typeof issuer !== 'string') return null;
  return { version: plainText(version), audience: plainText(audience), issuer: plainText(issuer) };
}

function attempt<T>(run: () => T): T | Error {
  try {
    return run();
  } catch (error) {
    return error instanceof Error ? error : new Error(errorMessage(error));
  }
}
