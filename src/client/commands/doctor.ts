import { spawnSync } from 'node:child_process';
import { CLIENT_VERSION } from './version.js';
import { type CommandResult, errorMessage, EXIT, type ExitCode } from '../command-result.js';
import { type Env, isInCi } from '../ci-environment.js';
import { readLogin } from '../login-file.js';
import { parseObject, plainText } from '../plain-text.js';
import { HttpClient, type HttpAnswer, NoAnswerError } from '../service/http.js';
import { BAD_REQUEST } from '../service/service-client.js';
import { readSecret, serviceAddress } from '../settings.js';
import { gitEnvironment } from '../upload/select-files.js';
import {
  type DoctorResult,
  checkForms,
  checkPersonalKey,
  checkRights,
  type CiConfig,
  readCredential,
  readDescription,
} from './check-credential.js';
import { type CommandContext, findRepository, parseCommit } from './command-context.js';

const ANSWER_MS = 10_000;
/** Identity tokens are valid for minutes, so a larger clock error makes them invalid. */
const MAX_CLOCK_ERROR_MS = 30_000;
const UNAUTHORIZED = 401;
/** The scope that reading the policy needs. */
const READS = 'gate:read';
const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'] as const;

/** Checks what uploads and the gate need. Ends with the exit code with which they would end: 2 for a wrong set-up before 3. */
export async function doctor(context: CommandContext): Promise<CommandResult> {
  const checks: DoctorResult[] = [];
  const http = new HttpClient(context.env);
  try {
    for await (const check of examine(context, http)) checks.push(check);
  } finally {
    await http.close();
  }
  const has = (result: DoctorResult['result']): boolean => checks.some((check) => check.result === result);
  const exits = checks.map(getExit);
  const exit = [EXIT.usage, EXIT.unknown].find((code) => exits.includes(code)) ?? EXIT.yes;
  return {
    exit,
    outcome: has('failed') ? 'unhealthy' : has('unknown') ? 'unknown' : 'healthy',
    members: { checks: checks.map(({ name, result, detail }) => ({ name, result, detail })) },
    lines: checks.map(({ name, result, detail }) => `${result.padEnd(7)}  ${name.padEnd(10)}  ${detail}`),
  };
}

function getExit({ result, exit }: DoctorResult): ExitCode {
  if (result === 'failed') return exit ?? EXIT.usage;
  return result === 'unknown' ? EXIT.unknown : EXIT.yes;
}

async function* examine(context: CommandContext, http: HttpClient): AsyncGenerator<DoctorResult> {
  const { args, env, ci } = context;
  yield { name: 'tool', result: 'ok', detail: `shipgate ${CLIENT_VERSION} with Node ${process.versions.node}.` };
  yield { name: 'CI', result: 'ok', detail: ci.system ?? 'No known CI system.' };
  yield checkGit(env);
  yield* checkPersonalKey(context);
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
  const forms = [...checkForms(credential, config)];
  yield* forms;
  // Such a credential cannot be accepted, and each try counts as a failure of this address.
  if (credential instanceof Error || forms.some(({ result }) => result === 'failed')) return;
  const authorization = credential.header;
  const described = await request(http, `${url}/api/credential`, { authorization });
  const description = readDescription(described);
  if (description !== null) yield* checkRights(credential.kind, description, findRepository(context));
  else if (!(described instanceof Error) && described.status === UNAUTHORIZED) {
    const detail = `The ${credential.kind} was refused. It may be revoked or expired, or belong to another Shipgate.`;
    yield { name: 'rights', result: 'failed', detail, exit: EXIT.unknown };
    return;
  }
  if (description?.scopes.includes(READS) === false) {
    yield {
      name: 'repository',
      result: 'note',
      detail: `Not checked, because the credential lacks the scope ${READS}.`,
    };
    return;
  }
  yield await checkRepository(context, http, url, authorization);
}

function checkGit(env: Env): DoctorResult {
  const { status } = spawnSync('git', ['--version'], { stdio: 'ignore', env: gitEnvironment(env) });
  const detail =
    status === 0 ? 'git is installed.' : 'git is not installed, so `upload` cannot detect committed files.';
  return { name: 'git', result: status === 0 ? 'ok' : 'note', detail };
}

function checkReadiness(ready: HttpAnswer | NoAnswerError): DoctorResult {
  const name = 'service';
  if (ready instanceof Error) return { name, result: 'unknown', detail: ready.sentence };
  if (isShipgate(ready) && ready.status === 200) return { name, result: 'ok', detail: 'Shipgate is ready.' };
  if (isShipgate(ready)) return { name, result: 'unknown', detail: 'Shipgate is not ready now. Try again later.' };
  const detail =
    ready.location === null
      ? `The address answered ${ready.status}, and not as Shipgate does.`
      : `The address redirects to ${plainText(ready.location)}. Name the right address.`;
  return { name, result: 'failed', detail, exit: EXIT.unknown };
}

/** Whether the answer is that of Shipgate's readiness. A captive portal answers everything with 200. */
function isShipgate({ status, body }: HttpAnswer): boolean {
  const { status: state, error } = parseObject(body);
  return (status === 200 && state === 'ready') || (status === 503 && typeof error === 'string');
}

function checkClock({ date }: HttpAnswer): DoctorResult {
  const name = 'clock';
  if (date === null) return { name, result: 'note', detail: 'The service did not return its time.' };
  const error = Date.now() - date.getTime();
  if (Math.abs(error) <= MAX_CLOCK_ERROR_MS)
    return { name, result: 'ok', detail: 'It agrees with the clock of Shipgate.' };
  const seconds = Math.round(Math.abs(error) / 1_000);
  const direction = error > 0 ? 'ahead of' : 'behind';
  return { name, result: 'failed', detail: `It is ${seconds} s ${direction} the clock of Shipgate. Set the clock.` };
}

function checkVersion(config: CiConfig | null): DoctorResult {
  const name = 'version';
  if (config === null) return { name, result: 'note', detail: 'The service does not return its version.' };
  const detail = `The service has version ${config.version}, and this tool ${CLIENT_VERSION}.`;
  return { name, result: config.version === CLIENT_VERSION ? 'ok' : 'note', detail };
}

/**
 * Reads the policy, which needs a valid credential that may read the repository. The default of the commit is that of the run, or the
 * head of the default branch.
 */
async function checkRepository(
  context: CommandContext,
  http: HttpClient,
  url: string,
  authorization: string,
): Promise<DoctorResult> {
  const { args, ci } = context;
  const name = 'repository';
  const repo = findRepository(context);
  const sha = args.text('commit') ?? ci.commit;
  if (repo === undefined) {
    return { name, result: 'failed', detail: 'The repository is missing. Use --repo OWNER/NAME.' };
  }
  const commit = attempt(() => (sha === undefined ? null : parseCommit(sha, '--commit')));
  if (commit instanceof Error) return { name, result: 'failed', detail: commit.message };
  const query = new URLSearchParams({ repo, ...(commit !== null && { sha: commit }) });
  const answer = await request(http, `${url}/api/policy/check?${query.toString()}`, { authorization });
  if (answer instanceof Error) return { name, result: 'unknown', detail: answer.sentence };
  const { status, error } = parseObject(answer.body);
  if (answer.status === 200 && typeof status === 'string') {
    const place = commit === null ? 'on its default branch' : 'at this commit';
    const detail = `Shipgate knows ${plainText(repo)}. Its policy is ${plainText(status)} ${place}.`;
    return { name, result: 'ok', detail };
  }
  const sentence = typeof error === 'string' ? plainText(error) : `The answer was ${answer.status}.`;
  const isTemporary = answer.status === 429 || answer.status >= 500;
  const exit = answer.status === BAD_REQUEST ? EXIT.usage : EXIT.unknown;
  return { name, result: isTemporary ? 'unknown' : 'failed', detail: sentence, exit };
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
