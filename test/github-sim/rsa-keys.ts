import { createPrivateKey, createPublicKey, generateKeyPair, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

/** An RSA key pair of 2,048 bits. */
export interface RsaKeys {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

const HANDED_OVER = 'SHIPGATE_TEST_RSA_KEYS';
/** More key pairs than any test environment uses at the same time. */
const HANDED_OVER_COUNT = 12;

let created: readonly string[] | null = null;
let taken = 0;

/** Returns a key pair that differs from the last eleven; outside a test run a new one. */
export function takeRsaKeys(): RsaKeys {
  created ??= JSON.parse(process.env[HANDED_OVER] ?? '[]') as readonly string[];
  const pem = created[taken++ % created.length];
  if (pem === undefined) return generateKeyPairSync('rsa', { modulusLength: 2048 });
  const privateKey = createPrivateKey(pem);
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

/** Creates the key pairs once for all test files of a run, because this takes longer than most tests. */
export async function publishRsaKeys(): Promise<void> {
  const make = promisify(generateKeyPair);
  const pairs = await Promise.all(
    Array.from({ length: HANDED_OVER_COUNT }, () => make('rsa', { modulusLength: 2048 })),
  );
  process.env[HANDED_OVER] = JSON.stringify(
    pairs.map(({ privateKey }) => privateKey.export({ type: 'pkcs1', format: 'pem' })),
  );
}
