import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { plainText } from '../plain-text.js';
import { CommandError, EXIT } from '../command-result.js';
import type { SelectedFile } from './select-files.js';

/** Level 6 makes reports only a little smaller and takes four times as long. */
const GZIP_LEVEL = 1;

export type FormFields = Readonly<Record<string, string | number>>;

/** An upload as a form (RFC 7578), which can be read several times. */
export class UploadForm {
  private readonly boundary = `shipgate-${randomUUID()}`;
  readonly contentType = `multipart/form-data; boundary=${this.boundary}`;

  /** `onProgress` receives the number of bytes of the files that were read. */
  constructor(
    private readonly fields: FormFields,
    private readonly files: readonly SelectedFile[],
    private readonly onProgress: (bytes: number) => void,
  ) {}

  /** Returns the bytes. Reading fails if a file has changed since it was selected. */
  read({ compressed }: { readonly compressed: boolean }): Readable {
    const plain = Readable.from(this.bytes(), { objectMode: false });
    // The error of the form reaches the reader through the compressed stream, which `pipeline` destroys with it.
    return compressed ? pipeline(plain, createGzip({ level: GZIP_LEVEL }), () => undefined) : plain;
  }

  private async *bytes(): AsyncGenerator<Buffer> {
    for (const [name, value] of Object.entries(this.fields)) yield Buffer.from(`${this.head(name)}${value}\r\n`);
    let read = 0;
    for (const file of this.files) {
      yield Buffer.from(this.head('file', file.name));
      const hash = createHash('sha256');
      let size = 0;
      for await (const chunk of readFile(file)) {
        size += chunk.length;
        if (size > file.size) throw changed(file);
        hash.update(chunk);
        yield chunk;
        read += chunk.length;
        this.onProgress(read);
      }
      if (size !== file.size || hash.digest('hex') !== file.sha256) throw changed(file);
      yield Buffer.from('\r\n');
    }
    yield Buffer.from(`--${this.boundary}--\r\n`);
  }

  private head(name: string, filename?: string): string {
    const file = filename === undefined ? '' : `; filename="${filename.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
    const type = filename === undefined ? '' : '\r\nContent-Type: application/octet-stream';
    return `--${this.boundary}\r\nContent-Disposition: form-data; name="${name}"${file}${type}\r\n\r\n`;
  }
}

/** Reads at most one byte more than expected, which is enough to see that the file has grown. */
async function* readFile(file: SelectedFile): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(file.path, { end: file.size }) as AsyncIterable<Buffer>;
  } catch {
    throw changed(file);
  }
}

const changed = ({ name }: SelectedFile): CommandError =>
  new CommandError(EXIT.no, 'refused', `${plainText(name)} changed while it was read. Nothing was uploaded.`);
