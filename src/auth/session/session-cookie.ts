import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { secretHash } from '../secret-hash.js';

const NAME = 'connect.sid';
const ID_BYTES = 32;
const ID = /^[\w-]{43}$/;

/** Gives the browser a new session id, and answers the digest under which the session is to be kept. */
export function setSessionCookie(reply: FastifyReply, secure: boolean): Buffer {
  const id = randomBytes(ID_BYTES).toString('base64url');
  // Without an end of its own: the session in the database has one, and the browser may well forget earlier.
  reply.setCookie(NAME, id, { signed: true, path: '/', httpOnly: true, sameSite: 'lax', secure });
  return secretHash(id);
}

export function clearSessionCookie(reply: FastifyReply, secure: boolean): void {
  reply.clearCookie(NAME, { path: '/', httpOnly: true, sameSite: 'lax', secure });
}

/** The digest of the session id that the request carries; null where it carries none that the service signed. */
export function readSessionCookie(request: FastifyRequest): Buffer | null {
  const header = request.headers.cookie;
  if (header === undefined) return null;
  const signed = request.server.parseCookie(header)[NAME];
  if (signed === undefined) return null;
  const { valid, value } = request.unsignCookie(signed);
  return valid && ID.test(value) ? secretHash(value) : null;
}
