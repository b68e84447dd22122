import { crc32 } from 'node:zlib';
import { ContentDigests } from '../../crypto/content-digests.js';
import {
  isPackPath,
  MANIFEST_PATH,
  PACK_SCHEMA,
  type PackedFile,
  packJson,
  type PackManifest,
  SIGNATURE_PATH,
} from '../../domain/audit-pack/pack-manifest.js';
import { directory, localHeader, type ZipEntry } from '../../domain/audit-pack/zip-records.js';
import type { Signer } from '../signing/signing.service.js';

/** A file of a pack. Its content may be read twice and must be the same both times. */
export interface PackSource {
  readonly path: string;
  readonly size: number;
  /** The expected digest; null if it is not known before. */
  readonly sha256: string | null;
  read(): AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>;
}

/** The release and the service of a pack. */
export interface PackTitle {
  readonly service: string;
  readonly release: PackManifest['release'];
  readonly createdAt: Date;
}

/** Content up to this size is read once and held in memory. Larger content is read twice. */
const HELD_BYTES = 1_048_576;

/**
 * Writes an audit pack as a zip, file by file, with at most one file in memory. The digests of each file are computed before it is
 * written. The manifest and its signature come last. Throws if content does not match its digest; the output is not a pack then.
 */
export async function* writePack(
  sources: AsyncIterable<PackSource>,
  { service, release, createdAt }: PackTitle,
  signer: () => Promise<Signer>,
): AsyncGenerator<Uint8Array> {
  const entries: ZipEntry[] = [];
  const files: PackedFile[] = [];
  const paths = new Set([MANIFEST_PATH, SIGNATURE_PATH]);
  let offset = 0;
  const begin = (path: string, size: number, checksum: number): Uint8Array => {
    const entry = { path, size, crc32: checksum };
    const header = localHeader(entry, createdAt);
    entries.push({ ...entry, offset });
    offset += header.length + size;
    return header;
  };
  for await (const source of sources) {
    if (!isPackPath(source.path) || paths.has(source.path))
      throw new TypeError(`The path ${source.path} is not valid or not unique in the pack.`);
    paths.add(source.path);
    const { digests, content } = await examine(source);
    yield begin(source.path, digests.size, Number.parseInt(digests.crc32, 16));
    yield* content;
    files.push({ path: source.path, ...digests });
  }
  const manifest = Buffer.from(
    packJson({ schema: PACK_SCHEMA, service, release, madeAt: createdAt.toISOString(), files }),
  );
  yield begin(MANIFEST_PATH, manifest.length, crc32(manifest));
  yield manifest;
  const { keyId, x: publicKey, sign } = await signer();
  const signature = Buffer.from(packJson({ algorithm: 'Ed25519', keyId, publicKey, signature: sign(manifest) }));
  yield begin(SIGNATURE_PATH, signature.length, crc32(signature));
  yield signature;
  yield* directory(entries, offset, createdAt);
}

interface Examined {
  readonly digests: Omit<PackedFile, 'path'>;
  readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** Reads the content to compute its digests, which the zip contains before the content. */
async function examine(source: PackSource): Promise<Examined> {
  const isHeld = source.size <= HELD_BYTES;
  const held: Uint8Array[] = [];
  const digests = await digestChunks(source, (chunk) => {
    if (isHeld) held.push(chunk);
  });
  return { digests, content: isHeld ? held : readAgain(source, digests) };
}

async function digestChunks(
  source: PackSource,
  onChunk: (chunk: Uint8Array) => void,
): Promise<Omit<PackedFile, 'path'>> {
  const digests = new ContentDigests(source.size);
  for await (const chunk of await source.read()) {
    digests.update(chunk);
    onChunk(chunk);
  }
  const found = digests.finish();
  if (source.sha256 !== null && found.sha256 !== source.sha256) {
    throw new Error(`The stored content of ${source.path} does not match its digest.`);
  }
  return found;
}

async function* readAgain(source: PackSource, before: Omit<PackedFile, 'path'>): AsyncGenerator<Uint8Array> {
  const digests = new ContentDigests(source.size);
  for await (const chunk of await source.read()) {
    digests.update(chunk);
    yield chunk;
  }
  if (digests.finish().sha256 !== before.sha256) throw new Error(`${source.path} changed while it was read.`);
}
