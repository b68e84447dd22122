import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashSecret } from '../../crypto/digests.js';

const NAME_PATTERN = 'connect.sid';
const ID_BYTES = 32;
const ID = /^[\w-]{43}$/;
/** An id with a signature behind it: nothing else is worth the work of looking at one. */
const SIGNED = /^[\w-]{43}\./;

/** Gives the browser a new session id, and answers the digest under which the session is to be kept. */
export function setSessionCookie(reply: FastifyReply, secure: boolean): Buffer {
  const id = randomBytes(ID_BYTES).toString('base64url');
  // Without an end of its own: the session in the database has one, and the browser may well forget earlier.
  reply.setCookie(NAME_PATTERN, id, { signed: true, path: '/', httpOnly: true, sameSite: 'lax', secure });
  return hashSecret(id);
}

export function clearSessionCookie(reply: FastifyReply, secure: boolean): void {
  reply.clearCookie(NAME_PATTERN, { path: '/', httpOnly: true, sameSite: 'lax', secure });
}

/**
 * The digest of the session id that the request carries; null where it carries none that the service signed. Other
 * services of the same domain may have set cookies of this name, which are passed over. Where there are two that the
 * service signed, somebody has planted one, and neither counts: nobody is to work in another's session unawares.
 */
export function readSessionCookie(request: FastifyRequest): Buffer | null {
  const ids = new Set(signedIds(request));
  const [id] = ids;
  return id !== undefined && ids.size === 1 ? hashSecret(id) : null;
}

function signedIds({ headers, server }: FastifyRequest): readonly string[] {
  // One by one, because of several of a name the parser keeps the first alone.
  return (headers.cookie ?? '').split(';').flatMap((pair) => {
    const text = server.parseCookie(pair)[NAME_PATTERN];
    if (text === undefined || !SIGNED.test(text)) return [];
    const { valid, value } = server.unsignCookie(text);
    return valid && ID.test(value) ? [value] : [];
  });
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Whether the request may act for the session that it carries: a browser says with every unsafe request where it comes
 * from, and that must be the service itself. Where no `Origin` is sent, `Sec-Fetch-Site` decides (Fetch, § 3.2 and
 * Fetch Metadata); where neither is, nothing vouches for the request, and it may not.
 */
export function isSameOrigin(
  { method, headers }: { readonly method: string; readonly headers: IncomingHttpHeaders },
  baseUrl: string,
): boolean {
  if (SAFE_METHODS.has(method)) return true;
  if (headers.origin !== undefined) return headers.origin === new URL(baseUrl).origin;
  return headers['sec-fetch-site'] === 'same-origin';
}
