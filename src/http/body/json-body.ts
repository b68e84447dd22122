import type { FastifyRequest } from 'fastify';
import { DomainError } from '../errors/domain-error.js';
import type { ArrivingBodies } from './arriving-bodies.js';
import {
  type BodyBounds,
  bodyEncoding,
  pipeWithLimit,
  refuseAnnouncedTooLarge,
  refuseOtherThanJson,
} from './bounded-body.js';
import { BlockBuffer, type Blocks } from './byte-blocks.js';
import { findUnstorableCharacter } from './storable-text.js';

type Expected = 'value' | 'value or ]' | 'name' | 'name or }' | 'colon' | 'comma' | 'end';

const WHITESPACE = /[\t\n\r ]*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const PLAIN_IN_STRING = /[^"\\\p{Cc}]{1,4096}|[\u007f-\u009f]/uy;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/** Where a text that is not JSON (RFC 8259) stops being it, as people count: `line 3, column 14`. */
function locateJsonError(text: string): string {
  const before = text.slice(0, faultOffset(text));
  const lineStart = before.lastIndexOf('\n') + 1;
  const line = before.split('\n').length;
  return `line ${line}, column ${before.length - lineStart + 1}`;
}

/** Walks the grammar with a stack of its own, because the text may nest as deep as it likes. */
function faultOffset(text: string): number {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let at = skip(WHITESPACE, text, 0);
  while (at < text.length) {
    const next = text[at];
    if (next === '{' || next === '[') {
      if (expected !== 'value' && expected !== 'value or ]') return at;
      open.push(next);
      expected = next === '{' ? 'name or }' : 'value or ]';
      at += 1;
    } else if (next === '}' || next === ']') {
      const closable = expected === 'comma' || expected === (next === '}' ? 'name or }' : 'value or ]');
      if (!closable || open.pop() !== (next === '}' ? '{' : '[')) return at;
      expected = open.length === 0 ? 'end' : 'comma';
      at += 1;
    } else if (next === ',') {
      if (expected !== 'comma') return at;
      expected = open.at(-1) === '{' ? 'name' : 'value';
      at += 1;
    } else if (next === ':') {
      if (expected !== 'colon') return at;
      expected = 'value';
      at += 1;
    } else {
      const isName = expected === 'name' || expected === 'name or }';
      if (!isName && expected !== 'value' && expected !== 'value or ]') return at;
      if (isName && next !== '"') return at;
      const end = next === '"' ? skipString(text, at) : { offset: skip(SCALAR, text, at), whole: true };
      if (!end.whole || end.offset === at) return end.offset;
      at = end.offset;
      if (isName) expected = 'colon';
      else expected = open.length === 0 ? 'end' : 'comma';
    }
    at = skip(WHITESPACE, text, at);
  }
  return text.length;
}

function skipString(text: string, start: number): { offset: number; whole: boolean } {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') {
    const next = skip(text[at] === '\\' ? ESCAPE : PLAIN_IN_STRING, text, at);
    if (next === at) return { offset: at, whole: false };
    at = next;
  }
  return at < text.length ? { offset: at + 1, whole: true } : { offset: at, whole: false };
}

/** The offset behind what a sticky expression matches at `at`; `at` itself where it does not. */
function skip(expression: RegExp, text: string, at: number): number {
  expression.lastIndex = at;
  return expression.test(text) ? expression.lastIndex : at;
}

const MAX_DEPTH = 64;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * How many members the objects of a JSON text write down, all together; refuses a text nested deeper than 64, and one of
 * more than `maxValues` values. It runs before the parser does, which would spend 40 times the text's size on a body of nothing but brackets.
 * Only a text that the parser takes afterwards makes the count mean something.
 */
function countJsonMembers(text: string, maxValues: number): number {
  let depth = 0;
  let members = 0;
  // A list or an object has one value more than commas, so this is never less than the values within.
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        depth += 1;
        values += 1;
        if (depth > MAX_DEPTH) {
          throw new DomainError(
            'too_large',
            `The body is nested deeper than ${MAX_DEPTH} levels at character ${at + 1}.`,
          );
        }
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth -= 1;
        break;
      case COLON:
        members += 1;
        break;
      case COMMA:
        values += 1;
        break;
      default:
    }
    if (values > maxValues) throw new DomainError('too_large', `The body has more than ${maxValues} values.`);
  }
  return members;
}

/** The place of the quote that ends the string which begins at `start`; the text's end where none does. */
function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote === -1 ? text.length : quote;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}

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
  const written = countJsonMembers(text, values);
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
    throw new DomainError('invalid', `${subject} is not valid JSON at ${locateJsonError(text)}.`);
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
  const fault = findUnstorableCharacter(text);
  if (fault !== null) throw new DomainError('invalid', `${nameOf(path)} ${verb} ${fault}.`);
}

const MAX_NAME_LENGTH = 200;

function nameOf(path: readonly (string | number)[]): string {
  return path.length === 0 ? 'The body' : path.join('.').slice(0, MAX_NAME_LENGTH);
}

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
    const encoding = bodyEncoding(headers);
    refuseOtherThanJson(headers);
    refuseAnnouncedTooLarge(headers, this.bounds);
    const gatherer = new BlockBuffer();
    this.arriving.admitUpload(raw);
    await this.arriving.read(raw, () =>
      pipeWithLimit(raw, encoding, this.bounds, (chunk) => {
        arriving(chunk.length);
        gatherer.add(chunk);
      }),
    );
    return gatherer.end();
  }
}
