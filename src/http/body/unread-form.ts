import type { FastifyRequest } from 'fastify';
import { boundaryOf, encodingOf } from './body-headers.js';
import { type BodyBounds, passBounded, tooLarge } from './bounded-bytes.js';
import type { FormPart } from './form-part.js';
import { type FormLimits, FormReading } from './form-reading.js';

/**
 * What a `form` route is given: a form that is still on its way. It is read when the route asks for it, so that of a
 * caller who is refused no megabyte is taken in.
 */
export interface UnreadForm {
  /**
   * The parts in the order in which they came, whole. `arriving` is told how many bytes come, inflated, before they are
   * kept; what it throws refuses the form.
   */
  read(limits: FormLimits, arriving: (bytes: number) => void): Promise<readonly FormPart[]>;
}

export const unreadForm = ({ raw, headers }: FastifyRequest, bounds: BodyBounds): UnreadForm => {
  const announced = headers['content-length'] === undefined ? null : Number(headers['content-length']);
  return {
    async read(limits, arriving) {
      const [boundary, encoding] = [boundaryOf(headers), encodingOf(headers)];
      if (announced !== null && announced > bounds.wireBytes) {
        raw.resume();
        throw tooLarge(bounds.wireBytes);
      }
      const form = new FormReading(boundary, limits);
      await passBounded(raw, encoding, bounds, (chunk) => {
        arriving(chunk.length);
        form.take(chunk);
      });
      return form.end();
    },
  };
};
