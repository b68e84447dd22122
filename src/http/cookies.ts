import { hkdfSync } from 'node:crypto';
import type { FastifyCookieOptions } from '@fastify/cookie';

/**
 * How cookies are signed: under a key for nothing else, so that no other token of the service is taken for one. They are
 * read where a route asks for them, since most routes are called by programs that have none.
 */
export const cookieOptions = (sessionSecret: string): FastifyCookieOptions => ({
  secret: Buffer.from(hkdfSync('sha256', sessionSecret, '', 'shipgate cookies', 32)),
  hook: false,
});
