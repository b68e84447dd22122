import type { IncomingHttpHeaders } from 'node:http';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Whether the request may act for the session that it carries: a browser says with every unsafe request where it comes
 * from, and that must be the service itself. Where no `Origin` is sent, `Sec-Fetch-Site` decides (Fetch, § 3.2 and
 * Fetch Metadata); where neither is, nothing vouches for the request, and it may not.
 */
export function mayActForSession(
  { method, headers }: { readonly method: string; readonly headers: IncomingHttpHeaders },
  baseUrl: string,
): boolean {
  if (SAFE_METHODS.has(method)) return true;
  if (headers.origin !== undefined) return headers.origin === new URL(baseUrl).origin;
  return headers['sec-fetch-site'] === 'same-origin';
}
