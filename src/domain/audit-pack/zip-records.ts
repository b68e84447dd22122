/**
 * The records around the files of an audit pack, byte by byte, as PKWARE's APPNOTE 6.3.10 defines a zip. A pack is
 * verified against these bytes years later, so they must not depend on a library or a platform.
 */

/** A file in the records. Files are stored without compression. */
export interface ZipEntry {
  /** The path in ASCII, with slashes. */
  readonly path: string;
  readonly size: number;
  readonly crc32: number;
  /** The offset of its local header. */
  readonly offset: number;
}

export const LOCAL_HEADER_SIGNATURE = 0x04034b50;
export const DIRECTORY_SIGNATURE = 0x02014b50;
export const END_SIGNATURE = 0x06054b50;
const ZIP64_END_SIGNATURE = 0x06064b50;
const ZIP64_LOCATOR_SIGNATURE = 0x07064b50;

export const LOCAL_HEADER_BYTES = 30;
export const DIRECTORY_ENTRY_BYTES = 46;
export const END_BYTES = 22;

const PLAIN_VERSION = 10;
const ZIP64_VERSION = 45;
/**
 * The creator system is Unix, so that the permissions below apply: a plain file that all users may read and its owner
 * may write.
 */
const CREATOR_UNIX = 3 << 8;
const PLAIN_FILE = (0o100644 << 16) >>> 0;
const ZIP64_OFFSET_EXTRA = 0x0001;
/** The placeholder for a number that does not fit. The zip64 records contain the number. */
const BEYOND_16_BITS = 0xffff;
const BEYOND_32_BITS = 0xffffffff;

/** Builds the record before the content of a file. */
export function localHeader({ path, size, crc32 }: Omit<ZipEntry, 'offset'>, modifiedAt: Date): Uint8Array {
  return record((write) => {
    write.uint32(LOCAL_HEADER_SIGNATURE);
    write.uint16(PLAIN_VERSION);
    writeCommon(write, { path, size, crc32 }, modifiedAt);
    write.uint16(0);
    write.ascii(path);
  });
}

/** Builds the records after the last file: the central directory and its end records. */
export function directory(entries: readonly ZipEntry[], offset: number, modifiedAt: Date): readonly Uint8Array[] {
  const records = entries.map((entry) => directoryEntry(entry, modifiedAt));
  const size = records.reduce((sum, { length }) => sum + length, 0);
  return [...records, end(entries.length, size, offset)];
}

function directoryEntry(entry: ZipEntry, modifiedAt: Date): Uint8Array {
  const isFar = entry.offset >= BEYOND_32_BITS;
  return record((write) => {
    write.uint32(DIRECTORY_SIGNATURE);
    write.uint16(CREATOR_UNIX | (isFar ? ZIP64_VERSION : PLAIN_VERSION));
    write.uint16(isFar ? ZIP64_VERSION : PLAIN_VERSION);
    writeCommon(write, entry, modifiedAt);
    write.uint16(isFar ? 12 : 0);
    // No comment, first disk, no internal attributes.
    for (const none of [0, 0, 0]) write.uint16(none);
    write.uint32(PLAIN_FILE);
    write.uint32(isFar ? BEYOND_32_BITS : entry.offset);
    write.ascii(entry.path);
    if (!isFar) return;
    write.uint16(ZIP64_OFFSET_EXTRA);
    write.uint16(8);
    write.uint64(entry.offset);
  });
}

/** The part that a local header and a directory entry share. */
function writeCommon(write: RecordWriter, { path, size, crc32 }: Omit<ZipEntry, 'offset'>, modifiedAt: Date): void {
  if (size >= BEYOND_32_BITS) throw new RangeError(`${path} is too large for a pack.`);
  // Not encrypted, not streamed, not compressed.
  write.uint16(0);
  write.uint16(0);
  write.uint16(dosTime(modifiedAt));
  write.uint16(dosDate(modifiedAt));
  write.uint32(crc32);
  write.uint32(size);
  write.uint32(size);
  write.uint16(path.length);
}

function end(entries: number, size: number, offset: number): Uint8Array {
  const isLarge = entries >= BEYOND_16_BITS || size >= BEYOND_32_BITS || offset >= BEYOND_32_BITS;
  return record((write) => {
    if (isLarge) writeZip64End(write, entries, size, offset);
    write.uint32(END_SIGNATURE);
    write.uint16(0);
    write.uint16(0);
    write.uint16(Math.min(entries, BEYOND_16_BITS));
    write.uint16(Math.min(entries, BEYOND_16_BITS));
    write.uint32(Math.min(size, BEYOND_32_BITS));
    write.uint32(Math.min(offset, BEYOND_32_BITS));
    write.uint16(0);
  });
}

function writeZip64End(write: RecordWriter, entries: number, size: number, offset: number): void {
  write.uint32(ZIP64_END_SIGNATURE);
  // The number of bytes that follow in this record.
  write.uint64(44);
  write.uint16(CREATOR_UNIX | ZIP64_VERSION);
  write.uint16(ZIP64_VERSION);
  write.uint32(0);
  write.uint32(0);
  write.uint64(entries);
  write.uint64(entries);
  write.uint64(size);
  write.uint64(offset);
  write.uint32(ZIP64_LOCATOR_SIGNATURE);
  write.uint32(0);
  write.uint64(offset + size);
  write.uint32(1);
}

/** UTC, rounded down to an even second. */
const dosTime = (at: Date): number =>
  (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | Math.floor(at.getUTCSeconds() / 2);

const dosDate = (at: Date): number =>
  ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();

interface RecordWriter {
  uint16(value: number): void;
  uint32(value: number): void;
  uint64(value: number): void;
  ascii(text: string): void;
}

/** Numbers of a zip are little-endian. */
function record(fill: (write: RecordWriter) => void): Uint8Array {
  const bytes: number[] = [];
  const add = (value: number, length: number): void => {
    for (let at = 0, rest = value; at < length; at += 1, rest = Math.floor(rest / 256)) bytes.push(rest % 256);
  };
  fill({
    uint16: (value) => add(value, 2),
    uint32: (value) => add(value, 4),
    uint64: (value) => add(value, 8),
    ascii: (text) => bytes.push(...Array.from(text, (character) => character.charCodeAt(0))),
  });
  return Uint8Array.from(bytes);
}
