import { createHmac, timingSafeEqual } from 'node:crypto';

const SIGNATURE = /^sha256=([0-9a-f]{64})$/;

/**
 * Whether the delivery was signed with the app's secret, over exactly these bytes, in constant time.
 * Source: GitHub, "Validating webhook deliveries".
 */
export function isSigned(body: Uint8Array, signature: string | undefined, secret: string): boolean {
  const given = digestOf(signature);
  if (given === null || secret === '') return false;
  return timingSafeEqual(createHmac('sha256', secret).update(body).digest(), given);
}

/** The same of a body that passes by. It is read to its end in any case: the sender listens only then. */
export async function isSignedPassing(
  body: AsyncIterable<Uint8Array>,
  signature: string | undefined,
  secret: string | undefined,
): Promise<boolean> {
  const given = digestOf(signature);
  const isWorthIt = given !== null && secret !== undefined && secret !== '';
  const hmac = createHmac('sha256', secret ?? '');
  for await (const chunk of body) if (isWorthIt) hmac.update(chunk);
  return isWorthIt && timingSafeEqual(hmac.digest(), given);
}

function digestOf(signature: string | undefined): Buffer | null {
  const [, hex] = SIGNATURE.exec(signature ?? '') ?? [];
  return hex === undefined ? null : Buffer.from(hex, 'hex');
}
