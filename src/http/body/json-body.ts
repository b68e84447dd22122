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
import { JsonFault, scanJson } from './json-scanner.js';
import { findUnstorableCharacter } from './storable-text.js';

/** Returns the place of the first error in a text that is not JSON (RFC 8259): `line 3, column 14`. Both start at 1. */
function locateJsonError(text: string): string {
  const before = text.slice(0, findErrorOffset(text));
  const lineStart = before.lastIndexOf('\n') + 1;
  const line = before.split('\n').length;
  return `line ${line}, column ${before.length - lineStart + 1}`;
}

/** Returns the offset of the first error. The depth was checked before. */
function findErrorOffset(text: string): number {
  try {
    scanJson(text, MAX_DEPTH);
  } catch (fault) {
    if (fault instanceof JsonFault) return fault.index;
    throw fault;
  }
  return text.length;
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
 * Counts the object members in a JSON text. Throws `too_large` if the text is nested deeper than 64 or has more than
 * `maxValues` values. It runs before the parser, which would need 40 times the size of a text of brackets. The count is
 * valid only if the parser accepts the text.
 */
function countJsonMembers(text: string, maxValues: number): number {
  let depth = 0;
  let members = 0;
  // A list or an object has one value more than commas, so this count is never too low.
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

/** Returns the position of the closing quote of the string at `start`, or the end of the text if there is none. */
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
  /** The maximum number of values in all lists and objects together. */
  readonly values: number;
  /** The name of the part, if the text is only a part of the body. */
  readonly part?: string;
}

/**
 * Parses a JSON body, or the named part of a body. The result is safe to traverse, print and store: at most 64 levels
 * deep, without NUL, lone surrogates, infinite numbers, `__proto__` or duplicate names. Errors name the place and never
 * repeat a value.
 */
export function parseJsonBody(bytes: Buffer, { values, part }: JsonBounds): unknown {
  const subject = part ?? 'The body';
  const text = decode(bytes, subject);
  const countInText = countJsonMembers(text, values);
  const value = parse(text, subject);
  const countInValue = inspect(value, part === undefined ? [] : [part]);
  // The parser uses the last of two members with one name. Another parser may use the first.
  if (countInValue !== countInText)
    throw new DomainError('invalid', `${subject} has an object that gives one name twice.`);
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
    // V8's message quotes the body and often names no place.
    throw new DomainError('invalid', `${subject} is not valid JSON at ${locateJsonError(text)}.`);
  }
}

/**
 * Counts the object members of `value`. Throws `invalid` for a value that cannot be stored. The depth was checked
 * before.
 */
function inspect(value: unknown, path: (string | number)[]): number {
  if (typeof value === 'string') assertStorable(value, path, 'contains');
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new DomainError('invalid', `${formatPath(path)} is a number beyond range.`);
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
    if (key === '__proto__')
      throw new DomainError('invalid', `${formatPath(path)} must not have a member "__proto__".`);
    assertStorable(key, path, 'has a name with');
    path.push(key);
    members += 1 + inspect(item, path);
    path.pop();
  }
  return members;
}

function assertStorable(text: string, path: readonly (string | number)[], verb: string): void {
  const fault = findUnstorableCharacter(text);
  if (fault !== null) throw new DomainError('invalid', `${formatPath(path)} ${verb} ${fault}.`);
}

const MAX_NAME_LENGTH = 200;

function formatPath(path: readonly (string | number)[]): string {
  return path.length === 0 ? 'The body' : path.join('.').slice(0, MAX_NAME_LENGTH);
}

/**
 * The body of an `upload` route, not read yet. The route reads it after the caller is authorized, and decides where the
 * bytes are parsed.
 */
export class UnreadJson {
  constructor(
    private readonly request: FastifyRequest,
    private readonly bounds: BodyBounds,
    private readonly arriving: ArrivingBodies,
  ) {}

  /**
   * Returns the inflated bytes. `arriving` is called with the size of each chunk before it is stored. An error that it
   * throws rejects the body.
   */
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
