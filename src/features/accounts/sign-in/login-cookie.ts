import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashSecret } from '../../../crypto/digests.js';

/** How long a person may take from here to the code host and back: as long as the host's own code lives. */
export const LOGIN_TIMEOUT_MS = 10 * 60_000;

const SECRET_BYTES = 32;
const SECRET = /^[\w-]{43}$/;

/**
 * What ties one sign-in to the browser that began it. The browser holds the secret in a cookie; `state` and the PKCE
 * verifier follow from it, so the answer counts in that browser alone, and the database, which knows the secret's digest
 * only, holds nothing that would finish it.
 */
export class LoginSecret {
  private constructor(
    /** For the cookie. */
    readonly text: string,
  ) {}

  static create(): LoginSecret {
    return new LoginSecret(randomBytes(SECRET_BYTES).toString('base64url'));
  }

  /** Null where the text was never a secret. */
  static read(text: string): LoginSecret | null {
    return SECRET.test(text) ? new LoginSecret(text) : null;
  }

  /** Under which the attempt is kept. */
  get hash(): Buffer {
    return hashSecret(this.text);
  }

  get state(): string {
    return this.derive('state');
  }

  /** 43 characters, as RFC 7636, § 4.1 asks for. */
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
 * Browsers take a cookie of the prefix from its own host alone (RFC 6265bis, § 4.1.3.2), so no other host of the domain
 * plants a sign-in that it has begun itself. They ask for https and the path `/` in return.
 */
const nameOf = (secure: boolean): string => (secure ? '__Host-shipgate.login' : 'shipgate.login');

/** Sent also with the navigation by which the host sends the browser back. */
const attributes = (secure: boolean) =>
  ({ path: secure ? '/' : '/api/auth', httpOnly: true, sameSite: 'lax', secure }) as const;

export function setLoginCookie(reply: FastifyReply, secret: LoginSecret, secure: boolean): void {
  reply.setCookie(nameOf(secure), secret.text, { ...attributes(secure), maxAge: LOGIN_TIMEOUT_MS / SECOND_MS });
}

export function clearLoginCookie(reply: FastifyReply, secure: boolean): void {
  reply.clearCookie(nameOf(secure), attributes(secure));
}

/** Null where this browser has not begun to sign in, or did so too long ago. */
export function readLoginCookie(request: FastifyRequest, secure: boolean): LoginSecret | null {
  const text = request.server.parseCookie(request.headers.cookie ?? '')[nameOf(secure)];
  return text === undefined ? null : LoginSecret.read(text);
}

const MAX_LENGTH = 2000;
/** Stands for the service itself: whatever leads away from it leads away from any host. */
const HERE = 'http://here.invalid';
/** A second slash makes the rest a host; browsers read a backslash as one, and proxies decode what is escaped, even twice. */
const ANOTHER_HOST = /^\/(?:[/\\]|%(?:25)*(?:2f|5c))/i;
/** Browsers drop tabs and line breaks wherever they stand, so `/<tab>/host` is `//host` to them; escaped they mean nothing good. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const UNFIT = /[\u0000-\u0020\u007f\\]|%(?:25)*(?:[01][0-9a-f]|7f|5c)/i;
/** The way in and out: whoever were sent back there would go round in circles. */
const SIGN_IN = /^\/api\/auth(?:\/|$)/;

/**
 * A path of this service to go back to after the sign-in, with its query and fragment; null where the text could lead
 * anywhere else, in any browser, or is longer than 2,000 characters.
 */
export function readReturnPath(text: string): string | null {
  if (text.length > MAX_LENGTH || !text.startsWith('/') || UNFIT.test(text) || ANOTHER_HOST.test(text)) return null;
  if (!URL.canParse(text, HERE)) return null;
  const { origin, pathname, search, hash } = new URL(text, HERE);
  // Once `..` and `.` are resolved the path may begin with two slashes where it did not before.
  if (origin !== HERE || ANOTHER_HOST.test(pathname) || SIGN_IN.test(decoded(pathname) ?? '/api/auth')) return null;
  return pathname + search + hash;
}

function decoded(pathname: string): string | null {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return null;
  }
}
