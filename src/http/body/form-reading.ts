import { Dicer } from '@fastify/busboy';
import { DomainError } from '../errors/domain-error.js';
import { BlockGatherer } from './byte-blocks.js';
import { type FormPart, printable, readPartHeader } from './form-part.js';

export interface FormLimits {
  readonly parts: number;
  /** One part alone. */
  readonly partBytes: number;
}

/** Of one part: a name, the name of a file and its type. */
const MAX_HEADER_BYTES = 16_384;

/** Takes the bytes of a form as they come, and knows its parts at the end. Nothing of a form is passed over in silence. */
export class FormReading {
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
  take(chunk: Buffer): void {
    this.parser.write(chunk);
    if (this.fault !== null) throw this.fault;
  }

  async end(): Promise<readonly FormPart[]> {
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
    const gatherer = new BlockGatherer();
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
