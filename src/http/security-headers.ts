import type { IncomingHttpHeaders } from 'node:http';

const EVERY_ANSWER = {
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Origin-Agent-Cluster': '?1',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

const ONE_YEAR_OF_HTTPS = { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' } as const;
const NOT_TO_BE_KEPT = { 'Cache-Control': 'no-store' } as const;

type Headers = Readonly<Record<string, string>>;

/**
 * The headers that every answer starts with; a page that needs more, as the documentation does, sets its own policy
 * over them. What was asked with a session or a key is kept by no cache.
 */
export function securityHeaders(baseUrl: string): (request: IncomingHttpHeaders) => Headers {
  const open: Headers = { ...EVERY_ANSWER, ...(baseUrl.startsWith('https:') ? ONE_YEAR_OF_HTTPS : {}) };
  const personal: Headers = { ...open, ...NOT_TO_BE_KEPT };
  return ({ authorization, cookie }) => (authorization === undefined && cookie === undefined ? open : personal);
}
