/** The manifest of an audit pack: the signed list of its files. */
export const PACK_SCHEMA = 'shipgate.audit-pack.v1';

export const MANIFEST_PATH = 'manifest.json';
export const SIGNATURE_PATH = 'signature.json';

/** A file of the pack with its digests. */
export interface PackedFile {
  readonly path: string;
  readonly size: number;
  /** SHA-256 of the content, in lower-case hexadecimal digits. */
  readonly sha256: string;
  /** CRC-32 of the content, in eight lower-case hexadecimal digits. */
  readonly crc32: string;
  /**
   * For each block of `chooseBlockSize(size)` bytes, the first 8 bytes of its SHA-256 and its CRC-32: 16 characters of
   * base64url. They prove nothing. They only locate a change in the content.
   */
  readonly blocks: string;
}

export interface PackManifest {
  readonly schema: typeof PACK_SCHEMA;
  /** The version of the service that created the pack. */
  readonly service: string;
  readonly release: {
    readonly milestoneId: string;
    readonly org: string;
    readonly repo: string;
    readonly version: string;
  };
  /** The time of all contents of the pack, ISO 8601 in UTC. */
  readonly madeAt: string;
  /** The files in the order of the pack. The manifest and its signature follow them. */
  readonly files: readonly PackedFile[];
}

/** The content of `signature.json`: an Ed25519 signature over the bytes of `manifest.json`. */
export interface PackSignature {
  readonly algorithm: 'Ed25519';
  readonly keyId: string;
  readonly publicKey: string;
  readonly signature: string;
}

export const BLOCK_DIGEST_CHARACTERS = 16;

const SMALLEST_BLOCK = 1_024;
const MOST_BLOCKS = 1_024;

/** Returns the smallest power of two, at least 1 KiB, that splits the content into at most 1,024 blocks. */
export function chooseBlockSize(size: number): number {
  let block = SMALLEST_BLOCK;
  while (block * MOST_BLOCKS < size) block *= 2;
  return block;
}

/** Formats a manifest or a signature. There is exactly one valid form. */
export const packJson = (value: PackManifest | PackSignature): string => `${JSON.stringify(value, null, 1)}\n`;

/** Excludes paths that leave the pack, that name a file twice, or that contain terminal control characters. */
const PATH = /^(?!.*(?:^|\/)\.{1,2}(?:\/|$))[\w.-]+(?:\/[\w.-]+)*$/;
const MAX_PATH_LENGTH = 255;
const HEX_64 = /^[0-9a-f]{64}$/;
const HEX_8 = /^[0-9a-f]{8}$/;
const BASE64URL = /^[\w-]*$/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Returns whether the path is allowed in a pack. */
export const isPackPath = (path: string): boolean => path.length <= MAX_PATH_LENGTH && PATH.test(path);

/** Parses a manifest. Null if the text is not a manifest in its exact form. */
export function readManifest(text: string): PackManifest | null {
  const read = parse(text) as Partial<PackManifest> | null;
  if (typeof read !== 'object' || read === null) return null;
  const { schema, service, release, madeAt, files } = read;
  if (schema !== PACK_SCHEMA || typeof service !== 'string' || typeof madeAt !== 'string') return null;
  if (!MOMENT.test(madeAt) || Number.isNaN(Date.parse(madeAt)) || !Array.isArray(files)) return null;
  if (typeof release !== 'object' || release === null) return null;
  const { milestoneId, org, repo, version } = release;
  if (![milestoneId, org, repo, version].every((part) => typeof part === 'string')) return null;
  if (!files.every(isPackedFile)) return null;
  const paths = [...files.map(({ path }) => path), MANIFEST_PATH, SIGNATURE_PATH];
  if (new Set(paths).size !== paths.length) return null;
  return packJson(read as PackManifest) === text ? (read as PackManifest) : null;
}

/** Parses a signature. Null if the text is not a signature in its exact form. */
export function readSignature(text: string): PackSignature | null {
  const read = parse(text) as Partial<PackSignature> | null;
  if (typeof read !== 'object' || read === null) return null;
  const { algorithm, keyId, publicKey, signature } = read;
  if (algorithm !== 'Ed25519' || typeof keyId !== 'string' || typeof publicKey !== 'string') return null;
  if (typeof signature !== 'string') return null;
  return packJson({ algorithm, keyId, publicKey, signature }) === text
    ? { algorithm, keyId, publicKey, signature }
    : null;
}

function isPackedFile(given: unknown): given is PackedFile {
  if (typeof given !== 'object' || given === null) return false;
  const { path, size, sha256, crc32, blocks } = given as Partial<PackedFile>;
  if (typeof path !== 'string' || typeof size !== 'number' || !isPackPath(path)) return false;
  if (!Number.isSafeInteger(size) || size < 0) return false;
  if (typeof sha256 !== 'string' || typeof crc32 !== 'string' || typeof blocks !== 'string') return false;
  const areDigests = HEX_64.test(sha256) && HEX_8.test(crc32) && BASE64URL.test(blocks);
  return areDigests && blocks.length === Math.ceil(size / chooseBlockSize(size)) * BLOCK_DIGEST_CHARACTERS;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
