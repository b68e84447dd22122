/**
 * The secrets that the service hands out: a prefix that says what they are for, 32 random bytes, and a checksum over all
 * that precedes it, so that a scanner can recognize one and a mistyped one is refused without a look-up.
 */
import { crc32 } from '../checksum/crc32.js';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = BigInt(DIGITS.length);

/** The number in base 62, most significant digit first, padded with zeros to `width`; a larger one is not cut. */
export function base62(value: bigint, width: number): string {
  let digits = '';
  for (let rest = value; rest > 0n; rest /= BASE) digits = DIGITS[Number(rest % BASE)]! + digits;
  return digits.padStart(width, '0');
}

/** `sgk` is a CI API key, `sgp` a person's key for a remote connection. */
const KEY_KINDS = ['sgk', 'sgp'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

export const SECRET_BYTES = 32;
/** 62^43 is the first power of 62 above 2^256. */
const SECRET_DIGITS = 43;
/** 62^6 is the first power of 62 above 2^32. */
const CHECKSUM_DIGITS = 6;
/** 6 of 43 digits tell keys apart on a screen and leave 220 bits unknown. */
const VISIBLE_DIGITS = 6;

const SHAPE = new RegExp(`^(${KEY_KINDS.join('|')})_[0-9A-Za-z]{${SECRET_DIGITS + CHECKSUM_DIGITS}}$`);

const checksumOf = (text: string): string => base62(BigInt(crc32(text)), CHECKSUM_DIGITS);

/** The secret made of 32 random bytes. */
export function keySecret(kind: KeyKind, random: Uint8Array): string {
  if (random.length !== SECRET_BYTES)
    throw new RangeError(`A secret takes ${SECRET_BYTES} bytes, not ${random.length}.`);
  let value = 0n;
  for (const byte of random) value = (value << 8n) | BigInt(byte);
  const body = `${kind}_${base62(value, SECRET_DIGITS)}`;
  return body + checksumOf(body);
}

/** What the text is the secret of; null where it is mistyped, cut short or something else altogether. */
export function detectKeyKind(text: string): KeyKind | null {
  const kind = SHAPE.exec(text)?.[1];
  if (kind === undefined || checksumOf(text.slice(0, -CHECKSUM_DIGITS)) !== text.slice(-CHECKSUM_DIGITS)) return null;
  return kind as KeyKind;
}

/** The leading part of a secret that may be shown and stored in the clear. */
export const visiblePrefix = (secret: string): string => secret.slice(0, 'sgk_'.length + VISIBLE_DIGITS);
