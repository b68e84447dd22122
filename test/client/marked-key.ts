import { crc32 } from '../../src/domain/checksum/crc32.js';
import { base62, type KeyKind } from '../../src/domain/keys/key-secret.js';

/** Returns a key with the right checksum that contains `canary`, so that a test finds it in any output. */
export function createMarkedKey(kind: KeyKind): string {
  const body = `${kind}_${'canary'.padEnd(43, '0')}`;
  return body + base62(BigInt(crc32(body)), 6);
}
