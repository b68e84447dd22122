import type { FastifyRequest } from 'fastify';
import type { ArrivingBodies } from './arriving-bodies.js';
import { boundaryOf, encodingOf } from './body-headers.js';
import { type BodyBounds, passBounded, refuseAnnouncedTooLarge } from './bounded-bytes.js';
import type { FormPart } from './form-part.js';
import { type FormLimits, FormReading } from './form-reading.js';

/**
 * What a `form` route is given: a form that is still on its way. It is read when the route asks for it, so that of a
 * caller who is refused no megabyte is taken in.
 */
export class UnreadForm {
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
    const [boundary, encoding] = [boundaryOf(headers), encodingOf(headers)];
    refuseAnnouncedTooLarge(headers, this.bounds);
    const form = new FormReading(boundary, limits);
    this.arriving.admitUpload(raw);
    await this.arriving.read(raw, () =>
      passBounded(raw, encoding, this.bounds, (chunk) => {
        arriving(chunk.length);
        form.take(chunk);
      }),
    );
    return form.end();
  }
}
