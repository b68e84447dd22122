import type { IncomingHttpHeaders } from 'node:http';

const ATTR_CHAR = /[A-Za-z0-9!#$&+.^_`|~-]/;
const MAX_NAME_LENGTH = 150;

/** What no file may be called on some system, or what makes a name look like another: controls, separators, turned text. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}"*/:<>?\\|%]/gu;

/**
 * `Content-Disposition` of a file that is downloaded and never shown (RFC 6266), under a name that somebody else chose:
 * no path, no hidden file, and nothing that reads in another way than it is written.
 */
export function attachment(name: string): string {
  const safe = safeName(name);
  // Taken apart, a full-width quote is a quote and an ellipsis three dots: what was safe has to be made so again.
  const ascii = safeName(safe.normalize('NFKD').replace(/[^\x20-\x7e]/g, '_'));
  const plain = `attachment; filename="${ascii}"`;
  return ascii === safe ? plain : `${plain}; filename*=UTF-8''${extended(safe)}`;
}

function safeName(name: string): string {
  const replaced = Array.from(name.replace(UNSAFE, '_')).slice(-MAX_NAME_LENGTH).join('');
  // A leading dot hides a file, and systems drop spaces and dots at an end in silence.
  const trimmed = replaced.replace(/^[\s.]+/, '').replace(/[\s.]+$/, '');
  return trimmed === '' ? 'report' : trimmed;
}

/** RFC 8187, § 3.2: octets of UTF-8, each as it is or behind a percent sign. */
const extended = (text: string): string =>
  Array.from(Buffer.from(text, 'utf8'), (octet) => {
    const character = String.fromCharCode(octet);
    return ATTR_CHAR.test(character) ? character : `%${octet.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');

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
