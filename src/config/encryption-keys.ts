export interface EncryptionKey {
  readonly kid: string;
  /** 32 bytes, for AES-256. */
  readonly key: Buffer;
}

const KEY_BYTES = 32;

/** Keys written as `kid:base64,…`: the first encrypts, all decrypt. No sentence ever repeats a part of a key. */
export function readEncryptionKeys(text: string): readonly [EncryptionKey, ...EncryptionKey[]] {
  const [first, ...others] = text
    .split(/[\s,]+/)
    .filter((pair) => pair !== '')
    .map(readPair);
  if (!first) throw new Error('must hold at least one kid:base64 pair');
  const kids = new Set([first, ...others].map(({ kid }) => kid));
  if (kids.size !== others.length + 1) throw new Error('gives one key id twice');
  return [first, ...others];
}

function readPair(pair: string, index: number): EncryptionKey {
  const [, kid, encoded] = /^([\w-]{1,32}):([\w+/-]+={0,2})$/.exec(pair) ?? [];
  const key = Buffer.from(encoded ?? '', 'base64');
  if (!kid || key.length !== KEY_BYTES) {
    throw new Error(`must hold kid:base64 pairs of ${KEY_BYTES} bytes each; number ${index + 1} is none`);
  }
  return { kid, key };
}
