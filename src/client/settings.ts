import { readFileSync } from 'node:fs';
import { usageError } from './command-result.js';
import type { Env } from './ci-environment.js';
import { fileProblem } from './file-problem.js';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Returns the address of Shipgate without a slash at its end. Throws a usage error for an address that is missing, is not an address,
 * or would send the credential without encryption.
 */
export function serviceAddress(option: string | undefined, env: Env): string {
  const given = option ?? env['SHIPGATE_URL'];
  if (given === undefined || given === '') {
    throw usageError('The address of Shipgate is missing. Use --url or set SHIPGATE_URL.');
  }
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    // The address is not printed, because it may contain a password.
    throw usageError('The address of Shipgate is not valid. It must begin with https:// and name a host.');
  }
  if (url.username !== '' || url.password !== '') throw usageError('The address of Shipgate must not hold a password.');
  if (url.search !== '' || url.hash !== '') throw usageError('The address of Shipgate must end with its path.');
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname)) {
    throw usageError(`${url.origin} is not encrypted. Use https, because others could read the credential.`);
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** Returns a secret from a variable or from the file that `NAME_FILE` names; null if neither is set. */
export function readSecret(name: string, env: Env): string | null {
  const value = env[name]?.trim();
  if (value !== undefined && value !== '') return sendable(name, value);
  const file = env[`${name}_FILE`];
  if (file === undefined || file === '') return null;
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    // The value is not printed, because it may be the secret itself: the two variables are easily confused.
    throw usageError(`${name}_FILE does not name a file that can be read: ${fileProblem(error)}.`);
  }
  if (text === '') throw usageError(`The file of ${name}_FILE is empty.`);
  return sendable(`The file of ${name}_FILE`, text);
}

/** Checks that a secret can be sent in a header. */
function sendable(source: string, secret: string): string {
  if (!/^[\x21-\x7E]+$/.test(secret)) throw usageError(`${source} has characters that no key and no token has.`);
  return secret;
}

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** Parses `30s`, `15m` or `6h` to milliseconds. Throws a usage error for another form or for more than `maxMs`. */
export function durationMs(name: string, text: string, maxMs: number): number {
  const [, count, unit] = /^(\d{1,5})([smh])$/.exec(text) ?? [];
  if (count === undefined || unit === undefined) throw usageError(`${name} must be a duration such as 30s, 15m or 6h.`);
  const ms = Number(count) * (UNITS_MS[unit] ?? Number.NaN);
  if (ms > maxMs) throw usageError(`${name} must be at most ${maxMs / 3_600_000}h.`);
  return ms;
}
