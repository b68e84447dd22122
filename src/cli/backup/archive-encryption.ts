import { Readable } from 'node:stream';

/** The first bytes of a file in the format age (https://c2sp.org/age). */
const AGE_HEADER = 'age-encryption.org/v1';

/** A key pair. The recipient encrypts, only the identity decrypts. */
export interface ArchiveKeys {
  readonly identity: string;
  readonly recipient: string;
}

export async function createArchiveKeys(): Promise<ArchiveKeys> {
  const { generateX25519Identity, identityToRecipient } = await import('age-encryption');
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

/** Encrypts for the recipients, in authenticated and numbered chunks. Without recipients returns the input. */
export async function encryptArchive(archive: Readable, recipients: readonly string[]): Promise<Readable> {
  if (recipients.length === 0) return archive;
  const { Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  for (const recipient of recipients) encrypter.addRecipient(recipient);
  return fromWeb(await encrypter.encrypt(toWeb(archive)));
}

/** Decrypts an encrypted archive and returns an unencrypted archive unchanged. Throws if the identity is missing or wrong. */
export async function decryptArchive(archive: Readable, identities: readonly string[]): Promise<Readable> {
  const begin = await readBegin(archive);
  if (begin.toString('latin1') !== AGE_HEADER) return archive;
  if (identities.length === 0) {
    throw new Error('The backup is encrypted. Name the file with its key by --identity.');
  }
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  for (const identity of identities) decrypter.addIdentity(identity);
  return fromWeb(
    await decrypter.decrypt(toWeb(archive)).catch((cause: unknown) => {
      throw new Error('The backup cannot be decrypted: it is damaged, or was encrypted for another key.', { cause });
    }),
  );
}

/** Returns the first bytes of the archive without consuming them. */
async function readBegin(archive: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  while (length < AGE_HEADER.length) {
    const part = archive.read() as Buffer | null;
    if (part !== null) {
      parts.push(part);
      length += part.length;
    } else if (archive.readableEnded || !(await hasMore(archive))) break;
  }
  const all = Buffer.concat(parts);
  if (all.length > 0) archive.unshift(all);
  return all.subarray(0, AGE_HEADER.length);
}

const hasMore = (archive: Readable): Promise<boolean> =>
  new Promise((resolve, reject) => {
    archive.once('readable', () => resolve(archive.readableLength > 0));
    archive.once('end', () => resolve(false));
    archive.once('error', reject);
  });

const toWeb = (stream: Readable): globalThis.ReadableStream<Uint8Array> =>
  Readable.toWeb(stream) as globalThis.ReadableStream<Uint8Array>;

const fromWeb = (stream: globalThis.ReadableStream<Uint8Array>): Readable => Readable.fromWeb(stream);
