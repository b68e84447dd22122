import type { FastifyReply, FastifyRequest } from 'fastify';
import { LOGIN_LIFE_MS } from './login-life.js';
import { LoginSecret } from './login-secret.js';

const SECOND_MS = 1_000;

/**
 * Browsers take a cookie of the prefix from its own host alone (RFC 6265bis, § 4.1.3.2), so no other host of the domain
 * plants a sign-in that it has begun itself. They ask for https and the path `/` in return.
 */
const nameOf = (secure: boolean): string => (secure ? '__Host-shipgate.login' : 'shipgate.login');

/** Sent also with the navigation by which the host sends the browser back. */
const attributes = (secure: boolean) =>
  ({ path: secure ? '/' : '/api/auth', httpOnly: true, sameSite: 'lax', secure }) as const;

export function setLoginCookie(reply: FastifyReply, secret: LoginSecret, secure: boolean): void {
  reply.setCookie(nameOf(secure), secret.text, { ...attributes(secure), maxAge: LOGIN_LIFE_MS / SECOND_MS });
}

export function clearLoginCookie(reply: FastifyReply, secure: boolean): void {
  reply.clearCookie(nameOf(secure), attributes(secure));
}

/** Null where this browser has not begun to sign in, or did so too long ago. */
export function readLoginCookie(request: FastifyRequest, secure: boolean): LoginSecret | null {
  const text = request.server.parseCookie(request.headers.cookie ?? '')[nameOf(secure)];
  return text === undefined ? null : LoginSecret.read(text);
}
