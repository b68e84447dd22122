import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { type Env, isInCi } from './ci-environment.js';
import { usageError } from './command-result.js';
import { fileProblem } from './file-problem.js';
import { parseObject } from './plain-text.js';
import { readSecret, serviceAddress } from './settings.js';

/** A personal key and the address of its service. */
export interface Login {
  readonly url: string;
  readonly key: string;
}

const OWNER_ONLY_FILE = 0o600;
const OWNER_ONLY_FOLDER = 0o700;

const NO_KEY = 'There is no personal key. Run `shipgate login`, or set SHIPGATE_PERSONAL_KEY.';

/** The file of `shipgate login` (XDG Base Directory Specification). */
export const loginFile = ({ XDG_CONFIG_HOME: config, HOME: home }: Env): string =>
  path.join(config || path.join(home || homedir(), '.config'), 'shipgate', 'login.json');

/** Returns the stored login; null if there is none. Throws a usage error if the file is damaged. */
export function readLogin(env: Env): Login | null {
  const file = loginFile(env);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw usageError(`${file} cannot be read: ${fileProblem(error)}.`);
  }
  const { url, key } = parseObject(text);
  if (typeof url !== 'string' || typeof key !== 'string') {
    throw usageError(`${file} is damaged. Run \`shipgate login\` again.`);
  }
  return { url, key };
}

/** Stores a login so that only the user can read it. Replaces an existing login. */
export function writeLogin(env: Env, login: Login): void {
  const file = loginFile(env);
  const draft = `${file}.${randomUUID()}`;
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: OWNER_ONLY_FOLDER });
    // An existing file or link would keep its permissions.
    writeFileSync(draft, `${JSON.stringify(login)}\n`, { mode: OWNER_ONLY_FILE, flag: 'wx' });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw usageError(`${file} cannot be written: ${fileProblem(error)}.`);
  }
}

/** Returns whether there was a login. */
export function removeLogin(env: Env): boolean {
  try {
    rmSync(loginFile(env));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw usageError(`${loginFile(env)} cannot be removed: ${fileProblem(error)}.`);
  }
}

/**
 * Returns the personal key with its address: `SHIPGATE_PERSONAL_KEY`, else the stored login. CI has none, because other jobs may share the
 * home folder. The stored key is used for no other address.
 */
export function userLogin(url: string | undefined, env: Env): Login {
  const key = readSecret('SHIPGATE_PERSONAL_KEY', env);
  if (key !== null) return { url: serviceAddress(url, env), key };
  const login = isInCi(env) ? null : readLogin(env);
  if (login === null) throw usageError(NO_KEY);
  const named = url ?? (env['SHIPGATE_URL'] || undefined);
  if (named !== undefined && serviceAddress(named, env) !== login.url) {
    throw usageError(
      `The login is for ${login.url}, and not for the address that is named. Run \`shipgate login\` for it.`,
    );
  }
  return login;
}
