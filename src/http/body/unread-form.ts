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
  /** What it may come to at most, by what its sender announced and what is allowed. */
  readonly mostBytes: number;
  /** The parts in the order in which they came, whole. */
  read(limits: FormLimits): Promise<readonly FormPart[]>;
}

export const unreadForm = ({ raw, headers }: FastifyRequest, bounds: BodyBounds): UnreadForm => {
  const announced = headers['content-length'] === undefined ? null : Number(headers['content-length']);
  const travels = Math.min(announced ?? bounds.wireBytes, bounds.wireBytes);
  return {
    mostBytes: headers['content-encoding'] === undefined ? travels : bounds.inflatedBytes,
    async read(limits) {
      const [boundary, encoding] = [boundaryOf(headers), encodingOf(headers)];
      if (announced !== null && announced > bounds.wireBytes) {
        raw.resume();
        throw tooLarge(bounds.wireBytes);
      }
      const form = new FormReading(boundary, limits);
      await passBounded(raw, encoding, bounds, (chunk) => form.take(chunk));
      return form.end();
    },
  };
};
