import { Readable } from 'node:stream';
import { Inject, Injectable, StreamableFile } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { LOGGER } from '../../observability/logger.js';

/** A list that is answered whole. */
export interface UnpagedList {
  /** The member that holds the items; null where the body is the bare array. */
  readonly name: string | null;
  readonly batches: AsyncIterable<readonly object[]>;
  /** Members of the body beside the list, of which a bare array has none. */
  readonly besides?: object;
}

/** Answers a list of any length as one JSON body, in the memory of one batch. */
@Injectable()
export class JsonListStream {
  constructor(@Inject(LOGGER) private readonly log: Logger) {}

  /**
   * Resolves when the first batch was read, so that a list that cannot be read at all fails as any request does. Where
   * a later one fails the connection is cut: half a list must not pass for a whole one.
   */
  async respond(request: FastifyRequest, { name, batches, besides = {} }: UnpagedList): Promise<StreamableFile> {
    const iterator = batches[Symbol.asyncIterator]();
    const first = await iterator.next();
    const [start, end] = name === null ? ['[', ']'] : [`${openObject(besides)}${JSON.stringify(name)}:[`, ']}'];
    const body = Readable.from(this.write(request.id, start, end, first, iterator), { objectMode: false });
    // A reader who leaves early ends the reading; one who stays has ended it already.
    body.once('close', () => void iterator.return?.().catch(() => undefined));
    return new StreamableFile(body, { type: 'application/json; charset=utf-8' });
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
