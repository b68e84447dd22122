const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = BigInt(DIGITS.length);

/** The number in base 62, most significant digit first, padded with zeros to `width`; a larger one is not cut. */
export function base62(value: bigint, width: number): string {
  let digits = '';
  for (let rest = value; rest > 0n; rest /= BASE) digits = DIGITS[Number(rest % BASE)]! + digits;
  return digits.padStart(width, '0');
}
