import { createHmac, timingSafeEqual } from 'node:crypto';

const SIGNATURE = /^sha256=([0-9a-f]{64})$/;

/**
 * Whether the delivery was signed with the app's secret, over exactly these bytes, in constant time.
 * Source: GitHub, "Validating webhook deliveries".
 */
export function isSigned(body: Uint8Array, signature: string | undefined, secret: string): boolean {
  const [, given] = SIGNATURE.exec(signature ?? '') ?? [];
  if (given === undefined || secret === '') return false;
  return timingSafeEqual(createHmac('sha256', secret).update(body).digest(), Buffer.from(given, 'hex'));
}
