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

/** One part of a form (RFC 7578), whatever it holds. */
export interface FormPart {
  readonly name: string;
  /** Null where the part is not of a file. */
  readonly filename: string | null;
  readonly blocks: Blocks;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const MAX_SHOWN = 100;

/** `; name="value"` or `; name=value`; a quote within a quoted value stands behind a backslash. */
const PARAMETER = /\s*;\s*([\w*-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/y;

/** What the header of a part says of it; refuses one that could be read in two ways. */
function readPartHeader(header: Readonly<Record<string, readonly string[]>>): Omit<FormPart, 'blocks'> {
  const [disposition, ...others] = header['content-disposition'] ?? [];
  if (disposition === undefined || others.length > 0) throw malformed('has no Content-Disposition of its own');
  // RFC 7578, § 4.7: nothing has to be encoded on this way, and what is would be kept as it came.
  const encodings = header['content-transfer-encoding'] ?? [];
  if (encodings.some((encoding) => !/^(?:7bit|8bit|binary)$/i.test(encoding.trim()))) {
    throw malformed('is encoded, where it must be sent as it is');
  }
  const parameters = parametersOf(utf8(Buffer.from(disposition, 'latin1'), 'The header of a part'));
  const name = parameters.get('name');
  if (name === undefined || name === '') throw malformed('has no name');
  return { name, filename: parameters.get('filename') ?? null };
}

/** The text of a part that is not of a file. */
export function partText({ name, blocks }: FormPart): string {
  const text = utf8(Buffer.concat(blocks), printable(name));
  const fault = findUnstorableCharacter(text);
  if (fault !== null) throw new DomainError('invalid', `${printable(name)} contains ${fault}.`);
  return text;
}

/** The name of a part as a sentence can hold it. */
export const printable = (name: string): string =>
  findUnstorableCharacter(name) === null && !/\p{Cc}/u.test(name) ? name.slice(0, MAX_SHOWN) : 'A part of the body';

function parametersOf(disposition: string): ReadonlyMap<string, string> {
  const [type = ''] = disposition.split(';', 1);
  if (type.trim().toLowerCase() !== 'form-data') throw malformed('is no form-data');
  const parameters = new Map<string, string>();
  PARAMETER.lastIndex = type.length;
  for (let at = type.length; disposition.slice(at).trim() !== ''; at = PARAMETER.lastIndex) {
    const [, key = '', quoted, bare = ''] = PARAMETER.exec(disposition) ?? [];
    if (key === '' || parameters.has(key.toLowerCase())) throw malformed('has a Content-Disposition that is malformed');
    // Older browsers sent whole paths, whose backslashes stand for themselves.
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
  /** One part alone. */
  readonly partBytes: number;
}

/** Of one part: a name, the name of a file and its type. */
const MAX_HEADER_BYTES = 16_384;

/** Takes the bytes of a form as they come, and knows its parts at the end. Nothing of a form is passed over in silence. */
export class MultipartParser {
  private readonly parser: Dicer;
  private readonly parts: Promise<FormPart | null>[] = [];
  private readonly finished: Promise<void>;
  private fault: DomainError | null = null;

  constructor(
    boundary: string,
    private readonly limits: FormLimits,
  ) {
    // Its types do not name this limit.
    const config: Dicer.Config & { readonly maxHeaderSize: number } = { boundary, maxHeaderSize: MAX_HEADER_BYTES };
    const parser = new Dicer(config);
    this.parser = parser;
    parser.on('part', (part: Dicer.PartStream) => this.parts.push(this.read(part)));
    this.finished = new Promise((resolve) => {
      parser.on('finish', () => resolve());
      parser.on('error', (cause: Error) => {
        this.refuse(new DomainError('invalid', 'The body ended before its last boundary.', { cause }));
        resolve();
      });
    });
  }

  /** @throws DomainError as soon as it is known that the form cannot be taken. */
  write(chunk: Buffer): void {
    this.parser.write(chunk);
    if (this.fault !== null) throw this.fault;
  }

  async finish(): Promise<readonly FormPart[]> {
    this.parser.end();
    await this.finished;
    const parts = this.fault === null ? await Promise.all(this.parts) : [];
    // A part may have been at fault while its end was waited for.
    if (this.fault !== null) throw this.fault;
    return parts.filter((part) => part !== null);
  }

  private async read(part: Dicer.PartStream): Promise<FormPart | null> {
    if (this.parts.length >= this.limits.parts) {
      this.refuse(new DomainError('too_large', `The body has more than ${this.limits.parts} parts.`));
    }
    const headers: Omit<FormPart, 'blocks'>[] = [];
    const gatherer = new BlockBuffer();
    let size = 0;
    part.on('header', (fields: object) => {
      headers.push(...this.headerOf(fields as Readonly<Record<string, readonly string[]>>));
    });
    part.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > this.limits.partBytes) {
        const name = printable(headers[0]?.filename ?? headers[0]?.name ?? '\0');
        this.refuse(new DomainError('too_large', `${name} is larger than ${this.limits.partBytes} bytes.`));
      }
      if (this.fault === null) gatherer.add(chunk);
    });
    await new Promise<void>((resolve) => {
      part.on('end', resolve);
      // The parser says it, too.
      part.on('error', () => resolve());
    });
    const [header] = headers;
    if (header === undefined) this.refuse(new DomainError('invalid', 'A part of the body ends within its header.'));
    return header === undefined || this.fault !== null ? null : { ...header, blocks: gatherer.end() };
  }

  /** Empty where the header is at fault. */
  private headerOf(fields: Readonly<Record<string, readonly string[]>>): readonly Omit<FormPart, 'blocks'>[] {
    try {
      return [readPartHeader(fields)];
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.refuse(error);
      return [];
    }
  }

  /** The first fault is the one that is told. */
  private refuse(fault: DomainError): void {
    this.fault ??= fault;
  }
}

/**
 * What a `form` route is given: a form that is still on its way. It is read when the route asks for it, so that of a
 * caller who is refused no megabyte is taken in.
 */
export class DeferredForm {
  constructor(
    private readonly request: FastifyRequest,
    private readonly bounds: BodyBounds,
    private readonly arriving: ArrivingBodies,
  ) {}

  /**
   * The parts in the order in which they came, whole. `arriving` is told how many bytes come, inflated, before they are
   * kept; what it throws refuses the form.
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
