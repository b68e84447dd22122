/** What JSON can say. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: JsonValue;
}

const LONE_SURROGATE = /\p{Surrogate}/u;
const TEXT = /"(?:[^"\\]|\\.)*"/g;
const NUMBER = /-?\d[\d.eE+-]*/g;

/**
 * The one way to write a value by the JSON Canonicalization Scheme (RFC 8785): no white space, and the members of every
 * object in order of the UTF-16 code units of their names.
 */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value as JsonObject).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, part]) => `${JSON.stringify(name)}:${canonicalJson(part)}`).join(',')}}`;
}

/**
 * Why a value would not come back from a database as it went there, or null. Postgres refuses NUL and half a surrogate
 * pair, keeps numbers as decimals of any length and knows no negative zero; JSON leaves out what is undefined and turns
 * a date into text. Whole numbers within ±(2^53 − 1) mean the same to everybody (RFC 8785, appendix D).
 */
export function findUnstorableValue(value: unknown): string | null {
  if (value === null || typeof value === 'boolean') return null;
  if (typeof value === 'string') return unkeepableText(value);
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) && !Object.is(value, -0) ? null : `the number ${value}, which is no whole one`;
  }
  if (Array.isArray(value)) return firstOf(value, findUnstorableValue);
  if (typeof value !== 'object') return `${typeof value}, which is no JSON`;
  if (!isPlain(value)) return 'an object that is no JSON';
  return firstOf(Object.entries(value), ([name, part]) => unkeepableText(name) ?? findUnstorableValue(part));
}

/**
 * Reads JSON whose numbers are all whole and exact; undefined where one is not, although JavaScript would round it to
 * one that is.
 */
export function parseLosslessJson(text: string): JsonValue | undefined {
  const numbers = text.replace(TEXT, '').match(NUMBER) ?? [];
  const areExact = numbers.every((number) => Number.isSafeInteger(Number(number)) && String(Number(number)) === number);
  return areExact ? (JSON.parse(text) as JsonValue) : undefined;
}

function unkeepableText(text: string): string | null {
  if (text.includes('\0')) return 'a NUL character';
  return LONE_SURROGATE.test(text) ? 'half of a surrogate pair' : null;
}

function firstOf<T>(parts: readonly T[], flawOf: (part: T) => string | null): string | null {
  for (const part of parts) {
    const flaw = flawOf(part);
    if (flaw !== null) return flaw;
  }
  return null;
}

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};
