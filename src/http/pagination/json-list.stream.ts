import { Readable } from 'node:stream';
import { Inject, Injectable, StreamableFile } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { LOGGER } from '../../observability/logger.js';

/** A complete list without pages. */
export interface UnpagedList {
  /** The member with the items. Null if the body is a bare array. */
  readonly name: string | null;
  readonly batches: AsyncIterable<readonly object[]>;
  /** Other members of the body. A bare array has none. */
  readonly besides?: object;
  /** The name of the file if the list is downloaded. Contains only letters, digits, hyphens and dots. */
  readonly fileName?: string;
}

/** Sends a list of any length as one JSON body with the memory of one batch. */
@Injectable()
export class JsonListStream {
  constructor(@Inject(LOGGER) private readonly log: Logger) {}

  /**
   * Resolves after the first batch is read, so that an unreadable list fails like any request. If a later batch fails,
   * the connection is closed, so that a partial list is never taken for a complete one.
   */
  async respond(
    request: FastifyRequest,
    { name, batches, besides = {}, fileName }: UnpagedList,
  ): Promise<StreamableFile> {
    const iterator = batches[Symbol.asyncIterator]();
    const first = await iterator.next();
    const [start, end] = name === null ? ['[', ']'] : [`${openObject(besides)}${JSON.stringify(name)}:[`, ']}'];
    const body = Readable.from(this.write(request.id, start, end, first, iterator), { objectMode: false });
    // If the client disconnects early, the iterator is closed. After a complete answer it is closed already.
    body.once('close', () => void iterator.return?.().catch(() => undefined));
    return new StreamableFile(body, {
      type: 'application/json; charset=utf-8',
      ...(fileName !== undefined && { disposition: `attachment; filename="${fileName}"` }),
    });
  }

  private async *write(
    requestId: string,
    start: string,
    end: string,
    first: IteratorResult<readonly object[]>,
    rest: AsyncIterator<readonly object[]>,
  ): AsyncGenerator<string> {
    let before = start;
    try {
      for (let next = first; next.done !== true; next = await rest.next()) {
        if (next.value.length === 0) continue;
        yield before + next.value.map((item) => JSON.stringify(item)).join(',');
        before = ',';
      }
      yield (before === start ? start : '') + end;
    } catch (error) {
      this.log.error({ requestId, err: error }, 'list broken off');
      throw error;
    }
  }
}

/** The members of an object as JSON that one more member can follow. */
function openObject(members: object): string {
  const closed = JSON.stringify(members);
  return closed === '{}' ? '{' : `${closed.slice(0, -1)},`;
}
