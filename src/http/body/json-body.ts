import { DomainError } from '../errors/domain-error.js';
import { locateJsonFault } from './json-fault.js';
import { countMembers } from './json-shape.js';
import { unstorable } from './storable-text.js';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

interface JsonBounds {
  /** The most that lists and objects may hold, all together. */
  readonly values: number;
  /** The part of the body that it is, where it is not all of it. */
  readonly part?: string;
}

/**
 * The value of a JSON body, or of the part of one that has this name. It is then safe to walk, to print and to store: at
 * most 64 deep, without NUL, lone surrogates, infinite numbers, `__proto__` or a name that an object gives twice. A
 * refusal names the place and never repeats a value.
 */
export function parseJsonBody(bytes: Buffer, { values, part }: JsonBounds): unknown {
  const subject = part ?? 'The body';
  const text = decode(bytes, subject);
  const written = countMembers(text, values);
  const value = parse(text, subject);
  const kept = inspect(value, part === undefined ? [] : [part]);
  // The parser keeps the last of two members of one name, where the next reader may keep the first.
  if (kept !== written) throw new DomainError('invalid', `${subject} has an object that gives one name twice.`);
  return value;
}

function decode(bytes: Buffer, subject: string): string {
  try {
    return UTF8.decode(bytes);
  } catch (cause) {
    throw new DomainError('invalid', `${subject} is not valid UTF-8.`, { cause });
  }
}

function parse(text: string, subject: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // V8's own sentence quotes the body, and mostly names no place.
    throw new DomainError('invalid', `${subject} is not valid JSON at ${locateJsonFault(text)}.`);
  }
}

/** How many members the objects of `value` hold; refuses what must not go further. Depth is bounded before. */
function inspect(value: unknown, path: (string | number)[]): number {
  if (typeof value === 'string') refuseUnstorable(value, path, 'contains');
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new DomainError('invalid', `${nameOf(path)} is a number beyond range.`);
  }
  return typeof value === 'object' && value !== null ? inspectMembers(value, path) : 0;
}

function inspectMembers(value: object, path: (string | number)[]): number {
  let members = 0;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      path.push(index);
      members += inspect(value[index], path);
      path.pop();
    }
    return members;
  }
  for (const [key, item] of Object.entries(value)) {
    if (key === '__proto__') throw new DomainError('invalid', `${nameOf(path)} must not have a member "__proto__".`);
    refuseUnstorable(key, path, 'has a name with');
    path.push(key);
    members += 1 + inspect(item, path);
    path.pop();
  }
  return members;
}

function refuseUnstorable(text: string, path: readonly (string | number)[], verb: string): void {
  const fault = unstorable(text);
  if (fault !== null) throw new DomainError('invalid', `${nameOf(path)} ${verb} ${fault}.`);
}

const MAX_NAME_LENGTH = 200;

function nameOf(path: readonly (string | number)[]): string {
  return path.length === 0 ? 'The body' : path.join('.').slice(0, MAX_NAME_LENGTH);
}
