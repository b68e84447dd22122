import { describe, expect, it } from '@jest/globals';
import { JsonReader } from './json-reader.js';

const read = (value: unknown): JsonReader => new JsonReader(value, 'GET /app');

describe('JsonReader', () => {
  it('reads documented values', () => {
    const body = read({
      name: 'app',
      id: 1,
      private: false,
      owner: { id: 2 },
      labels: [{ name: 'bug' }],
      state: 'open',
    });
    expect(body.text('name')).toBe('app');
    expect(body.integer('id')).toBe(1);
    expect(body.flag('private')).toBe(false);
    expect(body.object('owner').integer('id')).toBe(2);
    expect(body.list('labels').map((label) => label.text('name'))).toEqual(['bug']);
    expect(body.readChoice('state', ['open', 'closed'])).toBe('open');
  });

  it.each([null, undefined])('reads %p as absent if the field is optional', (value) => {
    const body = read({ field: value });
    expect([body.textOrNull('field'), body.integerOrNull('field'), body.objectOrNull('field')]).toEqual([
      null,
      null,
      null,
    ]);
    expect(body.listOrEmpty('field')).toEqual([]);
  });

  it.each([
    ['a text', (body: JsonReader) => body.text('field'), [1, null, undefined, {}, []]],
    ['a text', (body: JsonReader) => body.textOrNull('field'), [1, {}]],
    ['an integer', (body: JsonReader) => body.integer('field'), ['1', 1.5, 2 ** 53, null, undefined]],
    ['true or false', (body: JsonReader) => body.flag('field'), [0, 'true', null, undefined]],
    ['an object', (body: JsonReader) => body.object('field'), ['x', [], null, undefined]],
    ['a list', (body: JsonReader) => body.list('field'), [{}, 'x', null, undefined]],
    [
      'one of open, closed',
      (body: JsonReader) => body.readChoice('field', ['open', 'closed']),
      ['OPEN', null, undefined],
    ],
  ])('rejects a value that is not %s, and names its path', (expected, field, values) => {
    for (const value of values) {
      expect(() => field(read({ field: value }))).toThrow(`GET /app.field is not ${expected}`);
    }
  });

  it('does not read inherited properties as fields', () => {
    expect(() => read({}).text('constructor')).toThrow('GET /app.constructor is not a text');
    expect(read({}).has('toString')).toBe(false);
  });

  it.each(['text', null, 5, []])('rejects %p in the place of an object', (value) => {
    expect(() => read(value).text('field')).toThrow('GET /app is not an object');
  });
});
