import type { IncomingMessage } from 'node:http';
import { type KeyKind, detectKeyKind } from '../domain/keys/key-secret.js';

/** The credential in a request's `Authorization` field, told apart by its shape alone. */
export type Bearer =
  | { readonly kind: 'none' }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'api_key'; readonly secret: string }
  | { readonly kind: 'personal_key'; readonly secret: string }
  | { readonly kind: 'identity_token'; readonly token: string };

/** RFC 6750, § 2.1; the scheme's case does not matter (RFC 9110, § 11.1). */
const BEARER = /^bearer +([\w.~+/-]+=*)$/i;
const KIND_OF_KEY = { sgk: 'api_key', sgp: 'personal_key' } as const satisfies Record<KeyKind, Bearer['kind']>;
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** All that stands in a request's `Authorization` fields, to tell one presented credential from another. */
export const presented = ({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): string =>
  authorizations(rawHeaders).join();

const authorizations = (rawHeaders: readonly string[]): readonly string[] =>
  rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === 'authorization');

/**
 * Reads the raw fields, because Node keeps the first of two `Authorization` fields and drops the second in silence: a
 * request with both a token and a key has no credential that counts.
 */
export function readBearer({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): Bearer {
  const values = authorizations(rawHeaders);
  if (values.length === 0) return { kind: 'none' };
  const credential = values.length === 1 ? BEARER.exec(values[0]!.trim())?.[1] : undefined;
  if (credential === undefined) return { kind: 'malformed' };
  const key = detectKeyKind(credential);
  if (key !== null) return { kind: KIND_OF_KEY[key], secret: credential };
  return COMPACT_JWS.test(credential) ? { kind: 'identity_token', token: credential } : { kind: 'malformed' };
}
