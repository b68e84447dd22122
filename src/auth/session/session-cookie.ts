import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashSecret } from '../../crypto/digests.js';

const COOKIE_NAME = 'connect.sid';
const ID_BYTES = 32;
const ID = /^[\w-]{43}$/;
/** An id followed by a signature. Other cookies are skipped without the cost of a verification. */
const SIGNED = /^[\w-]{43}\./;

/** Sets the cookie with a new session id, and returns the hash of the id. */
export function setSessionCookie(reply: FastifyReply, secure: boolean): Buffer {
  const id = randomBytes(ID_BYTES).toString('base64url');
  // Without an expiry, because the session in the database has one.
  reply.setCookie(COOKIE_NAME, id, { signed: true, path: '/', httpOnly: true, sameSite: 'lax', secure });
  return hashSecret(id);
}

export function clearSessionCookie(reply: FastifyReply, secure: boolean): void {
  reply.clearCookie(COOKIE_NAME, { path: '/', httpOnly: true, sameSite: 'lax', secure });
}

/**
 * Returns the hash of the session id in the cookies. Null if the service signed none of them. Other services of the domain may
 * have set cookies with this name; they are skipped. If the service signed two, an attacker may have set one, and neither
 * counts. Otherwise a user could work in the attacker's session.
 */
export function readSessionCookie(request: FastifyRequest): Buffer | null {
  const ids = new Set(signedIds(request));
  const [id] = ids;
  return id !== undefined && ids.size === 1 ? hashSecret(id) : null;
}

function signedIds({ headers, server }: FastifyRequest): readonly string[] {
  // Parsed one by one, because the parser drops all but the first cookie of a name.
  return (headers.cookie ?? '').split(';').flatMap((pair) => {
    const text = server.parseCookie(pair)[COOKIE_NAME];
    if (text === undefined || !SIGNED.test(text)) return [];
    const { valid, value } = server.unsignCookie(text);
    return valid && ID.test(value) ? [value] : [];
  });
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Returns whether the request may use its session. A browser sends the origin with every unsafe request, and it must be the
 * service. Without `Origin`, `Sec-Fetch-Site` decides (Fetch, § 3.2 and Fetch Metadata). Without both, the request may not.
 */
export function isSameOrigin(
  { method, headers }: { readonly method: string; readonly headers: IncomingHttpHeaders },
  baseUrl: string,
): boolean {
  if (SAFE_METHODS.has(method)) return true;
  if (headers.origin !== undefined) return headers.origin === new URL(baseUrl).origin;
  return headers['sec-fetch-site'] === 'same-origin';
}

/**
 * Returns whether a page makes this read by itself. It does not count as use of the session, so that an open tab does not extend it.
 * A change always counts.
 */
export const isBackgroundRead = ({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean =>
  SAFE_METHODS.has(method) && headers['x-background'] === '1';
