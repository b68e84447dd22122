import { Readable } from 'node:stream';
import { Inject, Injectable, StreamableFile } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { LOGGER } from '../../../observability/logger.js';

/** A file that is made of items while it is read. */
export interface ExportFile<Item> {
  /** Of letters, digits, hyphens and dots alone. */
  readonly name: string;
  readonly contentType: string;
  /** Of a file that a browser might show; null leaves it with what every answer has. */
  readonly securityPolicy: string | null;
  readonly items: AsyncIterable<Item>;
  readonly write: (items: AsyncIterable<Item>) => AsyncIterable<string | Uint8Array>;
}

/** How long somebody may take over a file, in milliseconds: whoever reads more slowly than that is not reading. */
const DEADLINE_MS = 30 * 60_000;
/** Small pieces are gathered, so that a file of many lines is not as many writes. */
const CHUNK_BYTES = 64 * 1024;

class TooSlow extends Error {
  override readonly message = 'The reader took too long.';
}

/** Answers a file of any length while it is being made. */
@Injectable()
export class ExportResponse {
  constructor(@Inject(LOGGER) private readonly log: Logger) {}

  /**
   * Resolves when the first item was read, so that an export that cannot be made at all fails as any request does. Where a
   * later one fails the connection is cut: half a file must not pass for a whole one. A reader who leaves, or takes too long,
   * ends the reading.
   */
  async send<Item>(request: FastifyRequest, file: ExportFile<Item>, deadlineMs = DEADLINE_MS): Promise<StreamableFile> {
    const iterator = file.items[Symbol.asyncIterator]();
    const first = await iterator.next();
    const content = file.write(begun(first, iterator));
    const body = Readable.from(this.gather(request.id, content), { objectMode: false, highWaterMark: CHUNK_BYTES });
    const deadline = setTimeout(() => body.destroy(new TooSlow()), deadlineMs).unref();
    body.once('close', () => {
      clearTimeout(deadline);
      // Where the body was never asked for anything, nobody else would.
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
      // Whoever reads too slowly is no fault of the service that somebody would have to mend.
      const level = error instanceof TooSlow ? 'info' : 'error';
      this.log[level]({ requestId, err: error }, 'export broken off');
      throw error;
    }
  }
}

/** The items, of which one was read already. */
async function* begun<Item>(first: IteratorResult<Item>, rest: AsyncIterator<Item>): AsyncGenerator<Item> {
  for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
}

export const EXPORT_FORMATS = ['csv', 'html', 'xlsx'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** What each format is called in `Content-Type`; texts are in UTF-8. */
export const MEDIA_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv',
  html: 'text/html',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};
