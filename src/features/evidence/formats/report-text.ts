import { isUtf8, isAscii } from 'node:buffer';
import { readJsonKeys } from '../../../http/body/json-scanner.js';
import { explainEncoding, findDeclaredEncoding, type XmlProlog, parseXmlProlog } from './xml-prolog.js';

/** The reason and the place where a report is not valid. The whole upload is rejected, and no part of it is stored. */
export class ReportError extends Error {
  override readonly name = 'ReportError';

  /** `line` and `column` start at 1. A null column means the whole line. */
  constructor(
    readonly file: string,
    readonly line: number,
    readonly column: number | null,
    readonly reason: string,
  ) {
    super(`${file}:${line}${column === null ? '' : `:${column}`}: ${reason}`);
  }
}

/** Returns line and column, starting at 1, of an index into a text. Lines end with LF, CR LF or a single CR. */
function positionAt(text: string, index: number): { readonly line: number; readonly column: number } {
  let line = 1;
  let start = 0;
  const end = Math.min(index, text.length);
  for (let at = 0; at < end; at += 1) {
    const code = text.charCodeAt(at);
    const endsLine = code === 0x0a || (code === 0x0d && text.charCodeAt(at + 1) !== 0x0a);
    if (!endsLine) continue;
    line += 1;
    start = at + 1;
  }
  return { line, column: end - start + 1 };
}

/** The part of a file that shows its format: for markup at least the root tag, otherwise everything. */
export interface ReportBeginning {
  readonly text: string;
  /** The root tag and what precedes it; null if the content is not markup. */
  readonly prolog: XmlProlog | null;
  /** The keys of the outermost JSON object up to an error in the JSON; empty if the content is not an object. */
  readonly jsonKeys: ReadonlySet<string>;
}

/** The content of an uploaded file as text, with the part that shows its format. */
export class ReportText implements ReportBeginning {
  readonly beginning: ReportBeginning;
  private whole: string | null = null;

  private constructor(
    readonly file: string,
    /** The encoding of the bytes, whatever the content declares. */
    readonly encoding: 'UTF-8' | 'UTF-16',
    /** Decodes the content from the start, in chunks. */
    readonly chunks: () => Iterable<string>,
  ) {
    this.beginning = this.begin();
  }

  /**
   * Decodes consecutive blocks: UTF-8 with or without a byte order mark, or UTF-16 with one.
   * @throws ReportError at the first invalid byte.
   */
  static decode(file: string, ...blocks: readonly Uint8Array[]): ReportText {
    if (isUtf8Text(blocks)) return new ReportText(file, 'UTF-8', () => utf8Chunks(blocks));
    const content = Buffer.concat(blocks);
    const text = decode(file, content);
    const nul = text.indexOf('\0');
    if (nul !== -1) throw errorAt(file, text, nul, 'a NUL character; text is expected');
    return new ReportText(file, findUtf16Mark(content) === null ? 'UTF-8' : 'UTF-16', () => [text]);
  }

  /** The whole text. Readers that use `chunks` do not hold it in memory. */
  get text(): string {
    return (this.whole ??= Array.from(this.chunks()).join(''));
  }

  /** Yields each line without the space around it, and its number, which starts at 1. */
  *lines(): Generator<readonly [number: number, line: string]> {
    const { text } = this;
    let number = 0;
    for (let at = 0; at < text.length;) {
      const newline = text.indexOf('\n', at);
      const end = newline === -1 ? text.length : newline;
      number += 1;
      yield [number, text.slice(at, end).trim()];
      at = end + 1;
    }
  }

  get prolog(): XmlProlog | null {
    return this.beginning.prolog;
  }

  get jsonKeys(): ReadonlySet<string> {
    return this.beginning.jsonKeys;
  }

  /** Creates an error at an index into `text`. */
  errorAt(index: number, reason: string): ReportError {
    return errorAt(this.file, this.text, index, reason);
  }

  private begin(): ReportBeginning {
    const [first = ''] = this.chunks();
    const prolog = parseXmlProlog(first);
    // Later content cannot change the prolog.
    if (prolog?.isWhole === true) return { text: first, prolog, jsonKeys: readJsonKeys(first) };
    const { text } = this;
    return { text, prolog: parseXmlProlog(text), jsonKeys: readJsonKeys(text) };
  }
}

function errorAt(file: string, text: string, index: number, reason: string): ReportError {
  const { line, column } = positionAt(text, index);
  return new ReportError(file, line, column, reason);
}

/** Returns the encoding that a byte order mark of UTF-16 names; null if there is none. */
function findUtf16Mark(content: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (content[0] === 0xff && content[1] === 0xfe) return 'utf-16le';
  return content[0] === 0xfe && content[1] === 0xff ? 'utf-16be' : null;
}

function decode(file: string, content: Uint8Array): string {
  const utf16 = findUtf16Mark(content);
  if (utf16 !== null) return decodeUtf16(file, content, utf16);
  const text = new TextDecoder('utf-8').decode(content);
  if (isUtf8(content)) return text;
  const offset = findInvalidByte(content, new TextEncoder().encode(text), bomLength(content));
  const declared = findDeclaredEncoding(text);
  if (declared !== null && !/^utf-?8$/i.test(declared)) throw new ReportError(file, 1, null, explainEncoding(declared));
  const { line } = positionAt(text, new TextDecoder('utf-8').decode(content.subarray(0, offset)).length);
  throw new ReportError(file, line, null, `the byte at offset ${offset} is not valid UTF-8`);
}

function decodeUtf16(file: string, content: Uint8Array, encoding: 'utf-16le' | 'utf-16be'): string {
  const text = new TextDecoder(encoding).decode(content);
  const wellFormed = new TextDecoder(encoding, { fatal: true });
  try {
    return wellFormed.decode(content);
  } catch {
    const lost = text.indexOf('\uFFFD');
    throw errorAt(file, text, lost, `the content is not valid ${encoding.toUpperCase()}`);
  }
}

function bomLength(content: Uint8Array): number {
  return content[0] === 0xef && content[1] === 0xbb && content[2] === 0xbf ? 3 : 0;
}

/** Finds the first invalid byte: there the decoder wrote U+FFFD, so its output differs from the input. */
function findInvalidByte(content: Uint8Array, decoded: Uint8Array, skipped: number): number {
  let index = 0;
  while (content[skipped + index] === decoded[index]) index += 1;
  return skipped + index;
}

/** Texts of this size are collected early as garbage. Longer ones are collected only with the old generation. */
const CHUNK_BYTES = 65_536;

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Decodes UTF-8 in chunks, without the byte order mark. */
export function* utf8Chunks(blocks: readonly Uint8Array[]): Generator<string> {
  let isFirst = true;
  for (const bytes of wholeCharacters(blocks)) {
    yield decodeValid(isFirst && startsWithMark(bytes) ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes);
    isFirst = false;
  }
}

/** Returns whether the bytes are valid UTF-8 without NUL. */
export function isUtf8Text(blocks: readonly Uint8Array[]): boolean {
  for (const bytes of wholeCharacters(blocks)) if (!isUtf8(bytes) || bytes.includes(0)) return false;
  return true;
}

/** Most reports are ASCII, which takes one byte per character in memory if it is decoded as Latin-1. */
const decodeValid = (bytes: Buffer): string => bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');

const startsWithMark = (bytes: Buffer): boolean => bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);

/** Yields the bytes in chunks that do not split a character. Incomplete bytes at the end are a chunk of their own. */
function* wholeCharacters(blocks: readonly Uint8Array[]): Generator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for (const chunk of split(blocks)) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = bytes.length - countIncomplete(bytes);
    if (end > 0) yield bytes.subarray(0, end);
    rest = bytes.subarray(end);
  }
  if (rest.length > 0) yield rest;
}

function* split(blocks: readonly Uint8Array[]): Generator<Buffer> {
  for (const { buffer, byteOffset, byteLength } of blocks) {
    for (let at = 0; at < byteLength; at += CHUNK_BYTES) {
      yield Buffer.from(buffer, byteOffset + at, Math.min(CHUNK_BYTES, byteLength - at));
    }
  }
}

/** Returns the number of bytes at the end that begin an incomplete character (RFC 3629, § 3). */
function countIncomplete(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < lengthAfter(byte) ? back : 0;
  }
  return 0;
}

const lengthAfter = (lead: number): number => (lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2);
