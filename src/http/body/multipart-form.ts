import { Dicer } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import { DomainError } from '../errors/domain-error.js';
import type { ArrivingBodies } from './arriving-bodies.js';
import {
  type BodyBounds,
  multipartBoundary,
  bodyEncoding,
  pipeWithLimit,
  refuseAnnouncedTooLarge,
} from './bounded-body.js';
import { BlockBuffer, type Blocks } from './byte-blocks.js';
import { findUnstorableCharacter } from './storable-text.js';

/** One part of a form (RFC 7578). */
export interface FormPart {
  readonly name: string;
  /** The name of the file. Null if the part is not a file. */
  readonly filename: string | null;
  readonly blocks: Blocks;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const MAX_NAME_LENGTH = 100;

/** Matches `; name="value"` or `; name=value`. A quote inside a quoted value is escaped with a backslash. */
const PARAMETER = /\s*;\s*([\w*-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/y;

/** Parses the header of a part. Throws if the header is ambiguous. */
function readPartHeader(header: Readonly<Record<string, readonly string[]>>): Omit<FormPart, 'blocks'> {
  const [disposition, ...others] = header['content-disposition'] ?? [];
  if (disposition === undefined || others.length > 0) throw malformed('has no Content-Disposition of its own');
  // RFC 7578, § 4.7: parts need no transfer encoding. An encoded part would be stored without decoding.
  const encodings = header['content-transfer-encoding'] ?? [];
  if (encodings.some((encoding) => !/^(?:7bit|8bit|binary)$/i.test(encoding.trim()))) {
    throw malformed('is encoded, where it must be sent as it is');
  }
  const parameters = parseParameters(utf8(Buffer.from(disposition, 'latin1'), 'The header of a part'));
  const name = parameters.get('name');
  if (name === undefined || name === '') throw malformed('has no name');
  return { name, filename: parameters.get('filename') ?? null };
}

/** Returns the text of a part that is not a file. */
export function partText({ name, blocks }: FormPart): string {
  const text = utf8(Buffer.concat(blocks), printable(name));
  const fault = findUnstorableCharacter(text);
  if (fault !== null) throw new DomainError('invalid', `${printable(name)} contains ${fault}.`);
  return text;
}

/** Returns the name of a part in a form that is safe in a message. */
export const printable = (name: string): string =>
  findUnstorableCharacter(name) === null && !/\p{Cc}/u.test(name)
    ? name.slice(0, MAX_NAME_LENGTH)
    : 'A part of the body';

function parseParameters(disposition: string): ReadonlyMap<string, string> {
  const [type = ''] = disposition.split(';', 1);
  if (type.trim().toLowerCase() !== 'form-data') throw malformed('is no form-data');
  const parameters = new Map<string, string>();
  const text = disposition.trimEnd();
  PARAMETER.lastIndex = type.length;
  for (let at = type.length; at < text.length; at = PARAMETER.lastIndex) {
    const [, key = '', quoted, bare = ''] = PARAMETER.exec(text) ?? [];
    if (key === '' || parameters.has(key.toLowerCase())) throw malformed('has a Content-Disposition that is malformed');
    // Older browsers send whole paths, in which a backslash is not an escape.
    parameters.set(key.toLowerCase(), quoted?.replace(/\\(["\\])/g, '$1') ?? bare);
  }
  return parameters;
}

function utf8(bytes: Uint8Array, what: string): string {
  try {
    return UTF8.decode(bytes);
  } catch (cause) {
    throw new DomainError('invalid', `${what} is not valid UTF-8.`, { cause });
  }
}

const malformed = (what: string): DomainError => new DomainError('invalid', `A part of the body ${what}.`);

export interface FormLimits {
  readonly parts: number;
  /** The maximum size of one part, in bytes. */
  readonly partBytes: number;
}

/** The maximum size of the header of one part: name, file name and type. */
const MAX_HEADER_BYTES = 16_384;

/** Parses a form chunk by chunk and returns its parts at the end. It never ignores a part silently. */
export class MultipartParser {
  private readonly parser: Dicer;
  private readonly parts: Promise<FormPart | null>[] = [];
  private readonly finished: Promise<void>;
  private fault: DomainError | null = null;

  constructor(
    boundary: string,
    private readonly limits: FormLimits,
  ) {
    // The types of the package do not declare `maxHeaderSize`.
    const config: Dicer.Config & { readonly maxHeaderSize: number } = { boundary, maxHeaderSize: MAX_HEADER_BYTES };
    const parser = new Dicer(config);
    this.parser = parser;
    parser.on('part', (part: Dicer.PartStream) => this.parts.push(this.read(part)));
    this.finished = new Promise((resolve) => {
      parser.on('finish', () => resolve());
      parser.on('error', (cause: Error) => {
        this.setFault(new DomainError('invalid', 'The body ended before its last boundary.', { cause }));
        resolve();
      });
    });
  }

  /** @throws DomainError as soon as the form is known to be invalid. */
  write(chunk: Buffer): void {
    this.parser.write(chunk);
    if (this.fault !== null) throw this.fault;
  }

  async finish(): Promise<readonly FormPart[]> {
    this.parser.end();
    await this.finished;
    const parts = this.fault === null ? await Promise.all(this.parts) : [];
    // A part may have failed while its end was awaited.
    if (this.fault !== null) throw this.fault;
    return parts.filter((part) => part !== null);
  }

  private async read(part: Dicer.PartStream): Promise<FormPart | null> {
    if (this.parts.length >= this.limits.parts) {
      this.setFault(new DomainError('too_large', `The body has more than ${this.limits.parts} parts.`));
    }
    const headers: Omit<FormPart, 'blocks'>[] = [];
    const gatherer = new BlockBuffer();
    let size = 0;
    part.on('header', (fields: object) => {
      headers.push(...this.parseHeader(fields as Readonly<Record<string, readonly string[]>>));
    });
    part.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > this.limits.partBytes) {
        const name = printable(headers[0]?.filename ?? headers[0]?.name ?? '\0');
        this.setFault(new DomainError('too_large', `${name} is larger than ${this.limits.partBytes} bytes.`));
      }
      if (this.fault === null) gatherer.add(chunk);
    });
    await new Promise<void>((resolve) => {
      part.on('end', resolve);
      // The parser reports the same error.
      part.on('error', () => resolve());
    });
    const [header] = headers;
    if (header === undefined) this.setFault(new DomainError('invalid', 'A part of the body ends within its header.'));
    return header === undefined || this.fault !== null ? null : { ...header, blocks: gatherer.end() };
  }

  /** Returns the parsed header, or an empty array after an error. */
  private parseHeader(fields: Readonly<Record<string, readonly string[]>>): readonly Omit<FormPart, 'blocks'>[] {
    try {
      return [readPartHeader(fields)];
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.setFault(error);
      return [];
    }
  }

  /** Stores the first error. Later errors are ignored. */
  private setFault(fault: DomainError): void {
    this.fault ??= fault;
  }
}

/** The body of a `form` route, not read yet. The route reads it after the caller is authorized. */
export class DeferredForm {
  constructor(
    private readonly request: FastifyRequest,
    private readonly bounds: BodyBounds,
    private readonly arriving: ArrivingBodies,
  ) {}

  /**
   * Returns all parts in the order of arrival. `arriving` is called with the inflated size of each chunk before it is
   * stored. An error that it throws rejects the form.
   */
  async read(limits: FormLimits, arriving: (bytes: number) => void): Promise<readonly FormPart[]> {
    const { raw, headers } = this.request;
    const [boundary, encoding] = [multipartBoundary(headers), bodyEncoding(headers)];
    refuseAnnouncedTooLarge(headers, this.bounds);
    const form = new MultipartParser(boundary, limits);
    this.arriving.admitUpload(raw);
    await this.arriving.read(raw, () =>
      pipeWithLimit(raw, encoding, this.bounds, (chunk) => {
        arriving(chunk.length);
        form.write(chunk);
      }),
    );
    return form.finish();
  }
}
