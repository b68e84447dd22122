import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import {
  type ArchiveEnd,
  type ArchiveHeader,
  END_ENTRY,
  FILES_FOLDER,
  FORMAT,
  HEADER_ENTRY,
  TABLES_FOLDER,
} from './archive-format.js';
import { decryptArchive } from './archive-encryption.js';

/** A part of an archive after its header. */
export type ArchivePart =
  | { readonly kind: 'rows'; readonly table: string; readonly content: Buffer }
  | { readonly kind: 'file'; readonly orgId: string; readonly sha256: string; readonly content: Buffer }
  | { readonly kind: 'end'; readonly end: ArchiveEnd };

/** Yields the header, then the other parts. Throws if the archive is damaged or ends early. */
export async function* readArchive(
  archive: Readable,
  identities: readonly string[],
): AsyncGenerator<ArchivePart | { readonly kind: 'header'; readonly header: ArchiveHeader }> {
  const plain = await decryptArchive(archive, identities);
  const entries = extract();
  const read = pipeline(plain, createGunzip(), entries as unknown as NodeJS.WritableStream);
  read.catch((error: unknown) => entries.destroy(error instanceof Error ? error : new Error(String(error))));
  let isFirst = true;
  let hasEnd = false;
  try {
    for await (const entry of entries) {
      const parts: Buffer[] = [];
      for await (const part of entry) parts.push(part as Buffer);
      const content = Buffer.concat(parts);
      if (hasEnd) throw new Error('it continues after its end');
      if (isFirst) yield { kind: 'header', header: toHeader(entry.header.name, content) };
      else {
        const part = toPart(entry.header.name, content);
        hasEnd = part.kind === 'end';
        yield part;
      }
      isFirst = false;
    }
    await read;
  } catch (cause) {
    if (cause instanceof ArchiveError) throw cause;
    throw new ArchiveError(
      `The backup is damaged or ends early: ${cause instanceof Error ? cause.message : String(cause)}.`,
      {
        cause,
      },
    );
  } finally {
    archive.destroy();
  }
  if (!hasEnd) throw new ArchiveError('The backup is not complete: it has no end.');
}

/** The file is not a complete backup. */
class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

function toHeader(name: string, content: Buffer): ArchiveHeader {
  if (name !== HEADER_ENTRY) throw new ArchiveError('The file is no backup of Shipgate.');
  const header = JSON.parse(content.toString()) as ArchiveHeader;
  if (header.format !== FORMAT) {
    throw new ArchiveError(
      `The backup has the format ${header.format}. This version reads the format ${FORMAT}; use Shipgate ${header.shipgate}.`,
    );
  }
  return header;
}

function toPart(name: string, content: Buffer): ArchivePart {
  if (name === END_ENTRY) return { kind: 'end', end: JSON.parse(content.toString()) as ArchiveEnd };
  const [folder, one = '', other = ''] = name.split('/');
  if (folder === TABLES_FOLDER) return { kind: 'rows', table: one, content };
  if (folder === FILES_FOLDER) return { kind: 'file', orgId: one, sha256: other, content };
  throw new ArchiveError(`The backup has the entry ${name}, which this version does not know.`);
}
