import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashSecret } from '../../../crypto/digests.js';

/** How long a sign-in may take: as long as GitHub's authorization code is valid. */
export const LOGIN_TIMEOUT_MS = 10 * 60_000;

const SECRET_BYTES = 32;
const SECRET = /^[\w-]{43}$/;

/**
 * The secret that binds a sign-in to the browser that started it. The browser stores it in a cookie. `state` and the PKCE
 * verifier are derived from it, so the callback counts only in that browser. The database stores only the hash, which is
 * not enough to complete the sign-in.
 */
export class LoginSecret {
  private constructor(
    /** The value of the cookie. */
    readonly text: string,
  ) {}

  static create(): LoginSecret {
    return new LoginSecret(randomBytes(SECRET_BYTES).toString('base64url'));
  }

  /** Returns null if the text does not have the format of a secret. */
  static read(text: string): LoginSecret | null {
    return SECRET.test(text) ? new LoginSecret(text) : null;
  }

  /** The key of the stored attempt. */
  get hash(): Buffer {
    return hashSecret(this.text);
  }

  get state(): string {
    return this.derive('state');
  }

  /** 43 characters, the minimum of RFC 7636, § 4.1. */
  get verifier(): string {
    return this.derive('verifier');
  }

  /** S256 of the verifier (RFC 7636, § 4.2). */
  get challenge(): string {
    return createHash('sha256').update(this.verifier).digest('base64url');
  }

  hasState(text: string): boolean {
    const [expected, given] = [Buffer.from(this.state), Buffer.from(text)];
    return expected.length === given.length && timingSafeEqual(expected, given);
  }

  private derive(use: string): string {
    return createHmac('sha256', this.text).update(use).digest('base64url');
  }
}

const SECOND_MS = 1_000;

/**
 * Browsers accept a cookie with the prefix only from its own host (RFC 6265bis, § 4.1.3.2), so no other host of the domain can
 * set the secret of its own sign-in. The prefix requires https and the path `/`.
 */
const cookieName = (secure: boolean): string => (secure ? '__Host-shipgate.login' : 'shipgate.login');

/** `lax`, because the cookie must be sent with GitHub's redirect. */
const attributes = (secure: boolean) =>
  ({ path: secure ? '/' : '/api/auth', httpOnly: true, sameSite: 'lax', secure }) as const;

export function setLoginCookie(reply: FastifyReply, secret: LoginSecret, secure: boolean): void {
  reply.setCookie(cookieName(secure), secret.text, { ...attributes(secure), maxAge: LOGIN_TIMEOUT_MS / SECOND_MS });
}

export function clearLoginCookie(reply: FastifyReply, secure: boolean): void {
  reply.clearCookie(cookieName(secure), attributes(secure));
}

/** Returns null if this browser has not started a sign-in, or the cookie expired. */
export function readLoginCookie(request: FastifyRequest, secure: boolean): LoginSecret | null {
  const text = request.server.parseCookie(request.headers.cookie ?? '')[cookieName(secure)];
  return text === undefined ? null : LoginSecret.read(text);
}

const MAX_LENGTH = 2000;
/** A placeholder for the address of the service. A path that leads to another origin from here does so on every host. */
const BASE_URL = 'http://here.invalid';
/** A host follows a second slash. Browsers read a backslash as a slash, and proxies decode escapes, even twice. */
const ANOTHER_HOST = /^\/(?:[/\\]|%(?:25)*(?:2f|5c))/i;
/** Browsers remove tabs and line breaks everywhere, so `/<tab>/host` is `//host` to them. No valid path contains them escaped. */
// eslint-disable-next-line no-control-regex -- the pattern must match control characters
const UNSAFE = /[\u0000-\u0020\u007f\\]|%(?:25)*(?:[01][0-9a-f]|7f|5c)/i;
/** The paths of the sign-in itself, which would redirect forever. */
const SIGN_IN = /^\/api\/auth(?:\/|$)/;

/**
 * Returns the path of this service with query and fragment. Returns null if the text could lead elsewhere in any browser, or
 * is longer than 2,000 characters.
 */
export function readReturnPath(text: string): string | null {
  if (text.length > MAX_LENGTH || !text.startsWith('/') || UNSAFE.test(text) || ANOTHER_HOST.test(text)) return null;
  if (!URL.canParse(text, BASE_URL)) return null;
  const { origin, pathname, search, hash } = new URL(text, BASE_URL);
  // After `..` and `.` are resolved, the path may start with two slashes.
  if (origin !== BASE_URL || ANOTHER_HOST.test(pathname) || SIGN_IN.test(decoded(pathname) ?? '/api/auth')) return null;
  return pathname + search + hash;
}

function decoded(pathname: string): string | null {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return null;
  }
}
