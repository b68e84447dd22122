/**
 * The secrets that the service issues: a prefix that shows their purpose, 32 random bytes, and a checksum over both.
 * With the checksum a scanner can recognize a secret, and a mistyped one is rejected without a database query.
 */
import { crc32 } from '../checksum/crc32.js';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = BigInt(DIGITS.length);

/**
 * Returns the number in base 62, most significant digit first, padded with zeros to `width`. A larger number is not
 * truncated.
 */
export function base62(value: bigint, width: number): string {
  let digits = '';
  for (let rest = value; rest > 0n; rest /= BASE) digits = DIGITS[Number(rest % BASE)]! + digits;
  return digits.padStart(width, '0');
}

/** `sgk` is an API key for CI, `sgp` a personal key. */
const KEY_KINDS = ['sgk', 'sgp'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

export const SECRET_BYTES = 32;
/** 62^43 is the first power of 62 above 2^256. */
const SECRET_DIGITS = 43;
/** 62^6 is the first power of 62 above 2^32. */
const CHECKSUM_DIGITS = 6;
/** Six of 43 digits identify a key in a list and leave 220 bits secret. */
const VISIBLE_DIGITS = 6;

const SHAPE = new RegExp(`^(${KEY_KINDS.join('|')})_[0-9A-Za-z]{${SECRET_DIGITS + CHECKSUM_DIGITS}}$`);

const toChecksum = (text: string): string => base62(BigInt(crc32(text)), CHECKSUM_DIGITS);

/** Builds a secret from 32 random bytes. */
export function keySecret(kind: KeyKind, random: Uint8Array): string {
  if (random.length !== SECRET_BYTES)
    throw new RangeError(`A secret takes ${SECRET_BYTES} bytes, not ${random.length}.`);
  let value = 0n;
  for (const byte of random) value = (value << 8n) | BigInt(byte);
  const body = `${kind}_${base62(value, SECRET_DIGITS)}`;
  return body + toChecksum(body);
}

/** Returns the kind of the secret. Null if the text is not a valid secret, for example mistyped or incomplete. */
export function detectKeyKind(text: string): KeyKind | null {
  const kind = SHAPE.exec(text)?.[1];
  if (kind === undefined || toChecksum(text.slice(0, -CHECKSUM_DIGITS)) !== text.slice(-CHECKSUM_DIGITS)) return null;
  return kind as KeyKind;
}

/** Returns the first part of a secret. It may be shown and stored as plain text. */
export const visiblePrefix = (secret: string): string => secret.slice(0, 'sgk_'.length + VISIBLE_DIGITS);
