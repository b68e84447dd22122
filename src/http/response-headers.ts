import type { IncomingHttpHeaders } from 'node:http';

const ATTR_CHAR = /[A-Za-z0-9!#$&+.^_`|~-]/;
const MAX_NAME_LENGTH = 150;

/**
 * Characters that some system does not allow in file names, or that make a name look like another: controls,
 * separators, direction marks.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}"*/:<>?\\|%]/gu;

/**
 * Builds the `Content-Disposition` of a download (RFC 6266) for a name from a user or a report: no path, no hidden
 * file, no misleading characters.
 */
export function attachment(name: string): string {
  const safe = safeName(name);
  // Decomposition turns a full-width quote into a quote and an ellipsis into three dots, so the name is made safe
  // again.
  const ascii = safeName(safe.normalize('NFKD').replace(/[^\x20-\x7e]/g, '_'));
  const plain = `attachment; filename="${ascii}"`;
  return ascii === safe ? plain : `${plain}; filename*=UTF-8''${percentEncode(safe)}`;
}

function safeName(name: string): string {
  const replaced = Array.from(name.replace(UNSAFE, '_')).slice(-MAX_NAME_LENGTH).join('');
  // A leading dot hides a file. Some systems silently remove trailing spaces and dots.
  const trimmed = replaced.replace(/^[\s.]+/, '').replace(/[\s.]+$/, '');
  return trimmed === '' ? 'report' : trimmed;
}

/** Encodes text as UTF-8 octets, percent-encoded unless safe (RFC 8187, § 3.2). */
const percentEncode = (text: string): string =>
  Array.from(Buffer.from(text, 'utf8'), (octet) => {
    const character = String.fromCharCode(octet);
    return ATTR_CHAR.test(character) ? character : `%${octet.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');

const DEFAULT_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Origin-Agent-Cluster': '?1',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

const HTTPS_HEADERS = { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' } as const;
const NO_STORE_HEADERS = { 'Cache-Control': 'no-store' } as const;

type Headers = Readonly<Record<string, string>>;

/**
 * Returns the default headers of an answer. A page that needs more, such as the documentation, overrides the policy.
 * Answers to requests with a session or a key must not be cached.
 */
export function securityHeaders(baseUrl: string): (request: IncomingHttpHeaders) => Headers {
  const open: Headers = { ...DEFAULT_HEADERS, ...(baseUrl.startsWith('https:') ? HTTPS_HEADERS : {}) };
  const personal: Headers = { ...open, ...NO_STORE_HEADERS };
  return ({ authorization, cookie }) => (authorization === undefined && cookie === undefined ? open : personal);
}
