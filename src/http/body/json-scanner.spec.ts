import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { JsonFault, findJsonIndex, readJsonKeys, scanJson, sliceJsonValue } from './json-scanner.js';

const DEEP = Number.POSITIVE_INFINITY;

function accepts(text: string): boolean {
  try {
    scanJson(text, DEEP);
    return true;
  } catch (fault) {
    if (fault instanceof JsonFault) return false;
    throw fault;
  }
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('the scanner', () => {
  it('accepts every document that JSON.parse accepts', () => {
    fc.assert(fc.property(fc.json(), (text) => accepts(text)));
  });

  it('accepts and rejects the same documents as JSON.parse when a document is damaged', () => {
    const damage = fc.tuple(
      fc.json(),
      fc.nat(),
      fc.constantFrom('', ...Array.from('[]{},:"\\\\0-.eE+tfn \n\u0001\u00a0')),
      fc.nat(2),
    );
    fc.assert(
      fc.property(damage, ([text, position, inserted, removed]) => {
        const at = position % (text.length + 1);
        const damaged = text.slice(0, at) + inserted + text.slice(at + removed);
        expect([damaged, accepts(damaged)]).toEqual([damaged, parses(damaged)]);
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    ['', 0, 'a value is expected, but the text ends'],
    ['  ', 2, 'a value is expected, but the text ends'],
    ['[1 2]', 3, '"," or "]" is expected'],
    ['{"a" 1}', 5, '":" is expected'],
    ['{"a": 1, }', 9, 'a key in double quotes is expected'],
    ['{a: 1}', 1, 'a key in double quotes is expected'],
    ['[1,]', 3, 'a value is expected'],
    ['"a', 2, 'a string is not closed, but the text ends'],
    ['"a\nb"', 2, 'a control character in a string'],
    ['"\\x"', 1, 'an unknown escape in a string'],
    ['{} {}', 3, 'nothing may follow the outermost value'],
    ['[01]', 2, '"," or "]" is expected'],
    ['{"a": [}', 7, 'a value is expected'],
  ])('points at the fault in %j', (text, index, reason) => {
    expect(() => scanJson(text, DEEP)).toThrow(expect.objectContaining({ index, reason }));
  });

  it('rejects too deep nesting at any position', () => {
    expect(() => scanJson('[{"a":[]}]', 3)).not.toThrow();
    expect(() => scanJson('[[],[],{"a":[]},{"a":[[]]}]', 3)).toThrow('nested more than 3 levels deep');
  });

  it('works at a depth of five million', () => {
    expect(accepts('['.repeat(5_000_000) + ']'.repeat(5_000_000))).toBe(true);
    expect(accepts('{"a":'.repeat(1_000_000))).toBe(false);
  });
});

describe('the outermost keys', () => {
  it.each([
    ['{"a": {"b": 1}, "c": [{"d": 1}], "\\u0065": null}', ['a', 'c', 'e']],
    ['{"a": 1, "b": [', ['a', 'b']],
    ['[{"a": 1}]', []],
    ['<a/>', []],
  ])('of %s are %j', (text, keys) => {
    expect([...readJsonKeys(text)]).toEqual(keys);
  });
});

describe('the place of a value', () => {
  const text = '{"a": [0, {"b": 1}, {"b": 2}], "b": 3}';

  it.each([
    [[], 0],
    [['a'], 6],
    [['a', 2, 'b'], 26],
    [['b'], 36],
    [['a', 1, 'c', 0], 10],
    [['c'], 0],
  ])('%j', (path, index) => {
    expect(findJsonIndex(text, path)).toBe(index);
  });
});

describe('the names of an object', () => {
  it.each([
    ['{"a": 1, "a": 1}', 9],
    ['{"a": {"b": 1}, "c": [{"b": 1, "x": {}, "b": 2}]}', 40],
    ['[{"status": "failed", "st\\u0061tus": "passed"}]', 22],
    ['{"__proto__": 1, "__proto__": 2}', 17],
  ])('are rejected if one is given twice: %s', (text, index) => {
    const fault = { index, reason: 'an object gives one name twice' };
    expect(() => scanJson(text, DEEP, { uniqueNames: true })).toThrow(expect.objectContaining(fault));
    expect(() => scanJson(text, DEEP)).not.toThrow();
  });

  it.each([
    '{"a": 1, "A": 1}',
    '[{"a": 1}, {"a": 1}]',
    '{"a": {"a": {"a": []}}, "b": {"a": 1}}',
    '{"a": [{"b": 1}], "b": 1}',
  ])('may occur in several objects: %s', (text) => {
    expect(() => scanJson(text, DEEP, { uniqueNames: true })).not.toThrow();
  });
});

describe('the text of a value', () => {
  it('is what the document has at its path', () => {
    const spaces = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
    fc.assert(
      fc.property(fc.json(), fc.json(), spaces, (value, other, space) => {
        const text = `${space}{"a":{"c":${other}},${space}"b"${space}:${space}${value}${space},"d":[${other}]}`;
        expect(sliceJsonValue(text, ['b'])).toBe(value.trim());
      }),
    );
  });
});
