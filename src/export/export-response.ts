import { Readable } from 'node:stream';
import { Inject, Injectable, StreamableFile } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { LOGGER } from '../observability/logger.js';

/** A file that is written from items while it is sent. */
export interface ExportFile<Item> {
  /** Contains only letters, digits, hyphens and dots. */
  readonly name: string;
  readonly contentType: string;
  /** The content security policy of a file that browsers may display; null for the default of all responses. */
  readonly securityPolicy: string | null;
  readonly items: AsyncIterable<Item>;
  readonly write: (items: AsyncIterable<Item>) => AsyncIterable<string | Uint8Array>;
}

/** How long a download may take, in milliseconds. */
const DEADLINE_MS = 30 * 60_000;
/** Small chunks are combined, so that a file of many lines needs fewer writes. */
const CHUNK_BYTES = 64 * 1024;

class TooSlow extends Error {
  override readonly message = 'The download took too long.';
}

/** Sends a file of any length while it is written. */
@Injectable()
export class ExportResponse {
  constructor(@Inject(LOGGER) private readonly log: Logger) {}

  /**
   * Resolves when the first item was read, so that an early error becomes a normal error response. A later error closes the
   * connection, so that a part never counts as the whole file. The read ends if the client disconnects or takes too long.
   */
  async send<Item>(request: FastifyRequest, file: ExportFile<Item>, deadlineMs = DEADLINE_MS): Promise<StreamableFile> {
    const iterator = file.items[Symbol.asyncIterator]();
    const first = await iterator.next();
    const content = file.write(begun(first, iterator));
    const body = Readable.from(this.gather(request.id, content), { objectMode: false, highWaterMark: CHUNK_BYTES });
    const deadline = setTimeout(() => body.destroy(new TooSlow()), deadlineMs).unref();
    body.once('close', () => {
      clearTimeout(deadline);
      // Needed if the body was never read, because then nothing else closes the source.
      void iterator.return?.().catch(() => undefined);
    });
    return new StreamableFile(body, {
      type: file.contentType,
      disposition: `attachment; filename="${file.name}"`,
    });
  }

  private async *gather(requestId: string, content: AsyncIterable<string | Uint8Array>): AsyncGenerator<Buffer> {
    let waiting: Uint8Array[] = [];
    let length = 0;
    try {
      for await (const chunk of content) {
        const bytes = typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk;
        waiting.push(bytes);
        length += bytes.length;
        if (length < CHUNK_BYTES) continue;
        yield Buffer.concat(waiting);
        waiting = [];
        length = 0;
      }
      if (length > 0) yield Buffer.concat(waiting);
    } catch (error) {
      // A slow client is not an error of the service.
      const level = error instanceof TooSlow ? 'info' : 'error';
      this.log[level]({ requestId, err: error }, 'export failed');
      throw error;
    }
  }
}

/** Yields all items. `first` was read from `rest` before. */
async function* begun<Item>(first: IteratorResult<Item>, rest: AsyncIterator<Item>): AsyncGenerator<Item> {
  for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
}

/** The media type of each format. Texts are in UTF-8. */
const MEDIA_TYPES = {
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

export type ExportFormat = keyof typeof MEDIA_TYPES;

/** Returns the name and the type of a file about a topic. The name contains the workspace and the day in UTC. */
export const describeFile = (
  topic: string,
  { org, createdAt }: { readonly org: string; readonly createdAt: Date },
  format: ExportFormat,
): Pick<ExportFile<unknown>, 'name' | 'contentType'> => ({
  name: `shipgate-${topic}-${org}-${createdAt.toISOString().slice(0, 'yyyy-mm-dd'.length)}.${format}`,
  contentType: MEDIA_TYPES[format] + (format === 'xlsx' ? '' : '; charset=utf-8'),
});

/** Describes the files of a route for its API description. */
export const describeContent = (
  formats: readonly ExportFormat[],
): Readonly<Record<string, { readonly schema: { readonly type: 'string'; readonly format: 'binary' } }>> =>
  Object.fromEntries(formats.map((format) => [MEDIA_TYPES[format], { schema: { type: 'string', format: 'binary' } }]));
