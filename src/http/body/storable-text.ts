import type { FastifyRequest } from 'fastify';
import { DomainError } from '../errors/domain-error.js';

const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Returns why a text cannot be stored. Null if it can. Postgres rejects both characters in `text` and `jsonb` (22021,
 * 22P05, 22P02), and neither has a meaning in a name, a version or a report.
 */
export function findUnstorableCharacter(text: string): string | null {
  if (text.includes('\0')) return 'a NUL character';
  if (LONE_SURROGATE.test(text)) return 'half of a surrogate pair';
  return null;
}

/**
 * Throws `invalid` for characters in the path or query that cannot be stored, because they would cause a database error
 * later.
 */
export function rejectUnstorableUrl({ raw, query, params }: FastifyRequest): void {
  // Without an escape there is nothing to decode: a request line contains only ASCII without control characters.
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
