import { MANIFEST_PATH, type PackedFile, type PackManifest, SIGNATURE_PATH } from './pack-manifest.js';
import { directory, localHeader, type ZipEntry } from './zip-records.js';

/** A section of a pack whose bytes are all known. */
export interface KnownSegment {
  readonly offset: number;
  /** A description of the section. */
  readonly of: string;
  readonly bytes: Uint8Array;
}

/** A section of a pack whose digests are known: the content of a file. */
export interface HashedSegment {
  readonly offset: number;
  readonly file: PackedFile;
}

export type Segment = KnownSegment | HashedSegment;

/** A file whose bytes are all known. */
export interface WholeFile {
  readonly bytes: Uint8Array;
  readonly crc32: number;
}

/** Builds the complete layout of a pack from its manifest and signature. */
export function computeLayout(
  manifest: PackManifest,
  manifestFile: WholeFile,
  signatureFile: WholeFile,
): { readonly segments: readonly Segment[]; readonly size: number } {
  const modifiedAt = new Date(manifest.madeAt);
  const entries: ZipEntry[] = [];
  const segments: Segment[] = [];
  let offset = 0;
  const append = (of: string, bytes: Uint8Array): void => {
    segments.push({ offset, of, bytes });
    offset += bytes.length;
  };
  const appendHeader = (path: string, size: number, crc32: number): void => {
    entries.push({ path, size, crc32, offset });
    append(`the header of ${path}`, localHeader({ path, size, crc32 }, modifiedAt));
  };
  for (const file of manifest.files) {
    appendHeader(file.path, file.size, Number.parseInt(file.crc32, 16));
    segments.push({ offset, file });
    offset += file.size;
  }
  for (const [path, { bytes, crc32 }] of [
    [MANIFEST_PATH, manifestFile],
    [SIGNATURE_PATH, signatureFile],
  ] as const) {
    appendHeader(path, bytes.length, crc32);
    append(path, bytes);
  }
  for (const [at, bytes] of directory(entries, offset, modifiedAt).entries()) {
    const path = entries[at]?.path;
    append(path === undefined ? 'the end of the directory' : `the directory's entry of ${path}`, bytes);
  }
  return { segments, size: offset };
}
