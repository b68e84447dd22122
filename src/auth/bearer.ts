import type { IncomingMessage } from 'node:http';
import { type KeyKind, detectKeyKind } from '../domain/keys/key-secret.js';

/** The credential in the `Authorization` field of a request, distinguished only by its format. */
export type Bearer =
  | { readonly kind: 'malformed' }
  | { readonly kind: 'api_key'; readonly secret: string }
  | { readonly kind: 'personal_key'; readonly secret: string }
  | { readonly kind: 'identity_token'; readonly token: string };

/** RFC 6750, § 2.1. The scheme is not case-sensitive (RFC 9110, § 11.1). */
const BEARER = /^bearer +([\w.~+/-]+=*)$/i;
const KIND_OF_KEY = { sgk: 'api_key', sgp: 'personal_key' } as const satisfies Record<KeyKind, Bearer['kind']>;
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]*$/;

export const hasAuthorization = ({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean =>
  authorizations(rawHeaders).length > 0;

/**
 * Returns whether a field contains a text that begins like a personal key, valid or not. A proxy in front of the service may add a
 * credential of its own, also a bearer token.
 */
export const presentsPersonalKey = ({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean =>
  authorizations(rawHeaders).some((value) => /^bearer +sgp_/i.test(value.trim()));

/**
 * Returns whether the request is one of CI on a route that sessions may call, too. An API key always is. Any other bearer token is one
 * only without a cookie, because a proxy in front of the service may add its own token to the requests of browsers.
 */
export const presentsCiCredential = ({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean => {
  const values = authorizations(rawHeaders).map((value) => value.trim());
  if (values.some((value) => /^bearer +sgk_/i.test(value))) return true;
  return values.length > 0 && !rawHeaders.some((name, at) => at % 2 === 0 && name.toLowerCase() === 'cookie');
};

/** Returns the text of all `Authorization` fields, to distinguish credentials from each other. */
export const readAuthorization = ({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): string =>
  authorizations(rawHeaders).join();

const authorizations = (rawHeaders: readonly string[]): readonly string[] =>
  rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === 'authorization');

/**
 * Reads the raw fields, because Node silently drops the second of two `Authorization` fields. A request with two credentials
 * is malformed. Returns null without a field.
 */
export function readBearer({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): Bearer | null {
  const values = authorizations(rawHeaders);
  if (values.length === 0) return null;
  const credential = values.length === 1 ? BEARER.exec(values[0]!.trim())?.[1] : undefined;
  if (credential === undefined) return { kind: 'malformed' };
  const key = detectKeyKind(credential);
  if (key !== null) return { kind: KIND_OF_KEY[key], secret: credential };
  return COMPACT_JWS.test(credential) ? { kind: 'identity_token', token: credential } : { kind: 'malformed' };
}
