import type { FastifyRequest } from 'fastify';
import { DomainError } from '../errors/domain-error.js';

const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Why a text can be kept by nobody behind this service, or null. Postgres refuses both in `text` and `jsonb` (22021,
 * 22P05, 22P02), and neither has a meaning in a name, a version or a report.
 */
export function findUnstorableCharacter(text: string): string | null {
  if (text.includes('\0')) return 'a NUL character';
  if (LONE_SURROGATE.test(text)) return 'half of a surrogate pair';
  return null;
}

/** Refuses a path or query that says what no name and no version can hold, before it becomes a database's error. */
export function rejectUnstorableUrl({ raw, query, params }: FastifyRequest): void {
  // Without an escape there is nothing to decode: the request line itself holds ASCII without controls alone.
  if (!raw.url?.includes('%')) return;
  for (const part of [params, query]) {
    for (const [name, value] of Object.entries(part as Record<string, unknown>)) {
      for (const text of [name, value].flat()) {
        const fault = typeof text === 'string' ? findUnstorableCharacter(text) : null;
        if (fault !== null) throw new DomainError('invalid', `${printable(name)} contains ${fault}.`);
      }
    }
  }
}

const printable = (name: string): string =>
  findUnstorableCharacter(name) === null ? name.slice(0, 100) : 'A name in the query';
