import type { FastifyReply, FastifyRequest } from 'fastify';
import { LOGIN_LIFE_MS } from './login-life.js';
import { LoginSecret } from './login-secret.js';

const NAME = 'shipgate.login';
const SECOND_MS = 1_000;

/** Sent with the navigation by which the host sends the browser back, and to nothing but the sign-in. */
const attributes = (secure: boolean) => ({ path: '/api/auth', httpOnly: true, sameSite: 'lax', secure }) as const;

export function setLoginCookie(reply: FastifyReply, secret: LoginSecret, secure: boolean): void {
  reply.setCookie(NAME, secret.text, { ...attributes(secure), maxAge: LOGIN_LIFE_MS / SECOND_MS });
}

export function clearLoginCookie(reply: FastifyReply, secure: boolean): void {
  reply.clearCookie(NAME, attributes(secure));
}

/** Null where this browser has not begun to sign in, or did so too long ago. */
export function readLoginCookie(request: FastifyRequest): LoginSecret | null {
  const text = request.server.parseCookie(request.headers.cookie ?? '')[NAME];
  return text === undefined ? null : LoginSecret.read(text);
}
