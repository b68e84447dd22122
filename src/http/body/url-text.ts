import type { FastifyRequest } from 'fastify';
import { DomainError } from '../errors/domain-error.js';
import { unstorable } from './storable-text.js';

/** Refuses a path or query that says what no name and no version can hold, before it becomes a database's error. */
export function refuseUnstorableUrl({ raw, query, params }: FastifyRequest): void {
  // Without an escape there is nothing to decode: the request line itself holds ASCII without controls alone.
  if (!raw.url?.includes('%')) return;
  for (const part of [params, query]) {
    for (const [name, value] of Object.entries(part as Record<string, unknown>)) {
      for (const text of [name, value].flat()) {
        const fault = typeof text === 'string' ? unstorable(text) : null;
        if (fault !== null) throw new DomainError('invalid', `${printable(name)} contains ${fault}.`);
      }
    }
  }
}

const printable = (name: string): string => (unstorable(name) === null ? name.slice(0, 100) : 'A name in the query');
