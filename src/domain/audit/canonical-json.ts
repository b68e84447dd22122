/** A JSON value. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: JsonValue;
}

const LONE_SURROGATE = /\p{Surrogate}/u;
const TEXT = /"(?:[^"\\]|\\.)*"/g;
const NUMBER = /-?\d[\d.eE+-]*/g;

/**
 * Returns the value in the JSON Canonicalization Scheme (RFC 8785): no white space, and the members of every object
 * sorted by the UTF-16 code units of their names.
 */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value as JsonObject).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, part]) => `${JSON.stringify(name)}:${canonicalJson(part)}`).join(',')}}`;
}

/**
 * Returns why a value would change when it is stored and read again. Null if it would not. Postgres rejects NUL and
 * half a surrogate pair, stores numbers as decimals of any length and has no negative zero. JSON omits undefined values
 * and turns a date into text. Whole numbers within ±(2^53 − 1) are exact everywhere (RFC 8785, appendix D).
 */
export function findUnstorableValue(value: unknown): string | null {
  if (value === null || typeof value === 'boolean') return null;
  if (typeof value === 'string') return findUnstorableText(value);
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) && !Object.is(value, -0)
      ? null
      : `the number ${value}, which is not a whole number`;
  }
  if (Array.isArray(value)) return findFirst(value, findUnstorableValue);
  if (typeof value !== 'object') return `${typeof value}, which is not JSON`;
  if (!isPlain(value)) return 'an object that is not JSON';
  return findFirst(Object.entries(value), ([name, part]) => findUnstorableText(name) ?? findUnstorableValue(part));
}

/**
 * Parses JSON with whole, exact numbers only. Undefined if a number is not exact, even if JavaScript would round it to
 * a whole number.
 */
export function parseLosslessJson(text: string): JsonValue | undefined {
  const numbers = text.replace(TEXT, '').match(NUMBER) ?? [];
  const areExact = numbers.every((number) => Number.isSafeInteger(Number(number)) && String(Number(number)) === number);
  return areExact ? (JSON.parse(text) as JsonValue) : undefined;
}

function findUnstorableText(text: string): string | null {
  if (text.includes('\0')) return 'a NUL character';
  return LONE_SURROGATE.test(text) ? 'half of a surrogate pair' : null;
}

function findFirst<T>(parts: readonly T[], findProblem: (part: T) => string | null): string | null {
  for (const part of parts) {
    const problem = findProblem(part);
    if (problem !== null) return problem;
  }
  return null;
}

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};
