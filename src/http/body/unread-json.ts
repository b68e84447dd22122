import type { FastifyRequest } from 'fastify';
import type { ArrivingBodies } from './arriving-bodies.js';
import { encodingOf, refuseOtherThanJson } from './body-headers.js';
import { type BodyBounds, passBounded, refuseAnnouncedTooLarge } from './bounded-bytes.js';
import { type Blocks, BlockGatherer } from './byte-blocks.js';

/**
 * The body of an `upload` route: JSON that is still on its way. The route takes it in when it asks for it, so that of a caller
 * who is refused no megabyte is read, and it decides where the bytes are parsed.
 */
export class UnreadJson {
  constructor(
    private readonly request: FastifyRequest,
    private readonly bounds: BodyBounds,
    private readonly arriving: ArrivingBodies,
  ) {}

  /** The bytes, inflated. `arriving` is told how many come before they are kept; an error that it throws refuses the body. */
  async read(arriving: (bytes: number) => void): Promise<Blocks> {
    const { raw, headers } = this.request;
    const encoding = encodingOf(headers);
    refuseOtherThanJson(headers);
    refuseAnnouncedTooLarge(headers, this.bounds);
    const gatherer = new BlockGatherer();
    this.arriving.admitUpload(raw);
    await this.arriving.read(raw, () =>
      passBounded(raw, encoding, this.bounds, (chunk) => {
        arriving(chunk.length);
        gatherer.add(chunk);
      }),
    );
    return gatherer.end();
  }
}
