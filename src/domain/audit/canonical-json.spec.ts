import { describe, expect, it } from '@jest/globals';
import { assert, jsonValue, property } from 'fast-check';
import { canonicalJson, type JsonValue, parseLosslessJson, findUnstorableValue } from './canonical-json.js';

describe('canonicalJson', () => {
  it.each<[string, JsonValue, string]>([
    [
      'sorts members at every depth',
      { b: { d: 1, c: 2 }, a: [{ z: 0, y: 0 }] },
      '{"a":[{"y":0,"z":0}],"b":{"c":2,"d":1}}',
    ],
    ['sorts numeric names as text', { 9: 'b', 10: 'a', a: 'c' }, '{"10":"a","9":"b","a":"c"}'],
    [
      'sorts by UTF-16 code units',
      { '\ufb33': 1, '\u{1f600}': 2, '\u00e9': 3 },
      '{"\u00e9":3,"\u{1f600}":2,"\ufb33":1}',
    ],
    ['keeps the order of an array', [3, 1, 2], '[3,1,2]'],
    ['escapes only what JSON escapes', { 'a"b': 'é\n\u2028/\\' }, '{"a\\"b":"é\\n\u2028/\\\\"}'],
    ['treats __proto__ as an ordinary name', JSON.parse('{"__proto__":{"a":1}}') as JsonValue, '{"__proto__":{"a":1}}'],
    ['writes scalar values as JSON writes them', [null, true, false, 0, ''], '[null,true,false,0,""]'],
  ])('%s', (_, value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it('returns JSON of the same value for any order of the members', () => {
    assert(
      property(jsonValue(), (value) => {
        const json = JSON.parse(JSON.stringify(value)) as JsonValue;
        expect(JSON.parse(canonicalJson(json))).toEqual(json);
        expect(canonicalJson(reversed(json))).toBe(canonicalJson(json));
      }),
    );
  });
});

const reversed = (value: JsonValue): JsonValue =>
  typeof value !== 'object' || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([name, part]) => [name, reversed(part)]),
      );

describe('findUnstorableValue', () => {
  it.each<[string, unknown]>([
    ['text in any script', 'Ωμέγα 🚀 \u202e'],
    ['the largest whole number', Number.MAX_SAFE_INTEGER],
    ['the smallest whole number', Number.MIN_SAFE_INTEGER],
    ['null', null],
    ['a nested value', { a: [{ b: true }, []], c: {} }],
    ['an object without a prototype', Object.assign(Object.create(null) as object, { a: 1 })],
  ])('accepts %s', (_, value) => {
    expect(findUnstorableValue(value)).toBeNull();
  });

  it.each<[string, unknown, string]>([
    ['a NUL character', 'a\0', 'a NUL character'],
    ['half of a surrogate pair', '\ud800', 'half of a surrogate pair'],
    ['a NUL character in a name', { 'a\0': 1 }, 'a NUL character'],
    ['half of a surrogate pair in a nested name', { a: [{ '\udc00': 1 }] }, 'half of a surrogate pair'],
    ['an invalid value behind valid ones', [1, 'a', 0.1], 'the number 0.1, which is not a whole number'],
    ['a fraction', 0.1, 'the number 0.1, which is not a whole number'],
    ['a number that JSON writes with an exponent', 1e21, 'the number 1e+21, which is not a whole number'],
    [
      'an integer that a double does not represent exactly',
      2 ** 53,
      'the number 9007199254740992, which is not a whole number',
    ],
    ['negative zero', [-0], 'the number 0, which is not a whole number'],
    ['NaN', Number.NaN, 'the number NaN, which is not a whole number'],
    ['undefined', { a: undefined }, 'undefined, which is not JSON'],
    ['a hole in an array', Array(1), 'undefined, which is not JSON'],
    ['a date', { at: new Date(0) }, 'an object that is not JSON'],
    ['a map', new Map(), 'an object that is not JSON'],
    ['a bigint', 1n, 'bigint, which is not JSON'],
  ])('rejects %s', (_, value, flaw) => {
    expect(findUnstorableValue(value)).toBe(flaw);
  });
});

describe('parseLosslessJson', () => {
  it.each(['{"a": [1, -2, 0], "1.5": "1e21 \\"2.5\\""}', '9007199254740991', '"0.1"', 'null', '{}'])(
    'parses %s',
    (text) => {
      expect(parseLosslessJson(text)).toEqual(JSON.parse(text));
    },
  );

  it.each(['1.0', '1.00000000000000000001', '9007199254740993', '{"a": [0.5]}', '-0', '1e3', '{"a": "x", "b": 1.5}'])(
    'rejects %s',
    (text) => {
      expect(parseLosslessJson(text)).toBeUndefined();
    },
  );
});
