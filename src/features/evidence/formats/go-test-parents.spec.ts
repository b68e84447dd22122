import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { GoTestParents } from './go-test-parents.js';

function findParent(names: readonly string[], name: string): string | null {
  const parents = new GoTestParents();
  for (const known of names) parents.add({ name: known });
  return parents.find(name)?.name ?? null;
}

describe('the parent of a subtest of Go', () => {
  it.each([
    [['TestCart'], 'TestCart/adds', 'TestCart'],
    [['TestCart', 'TestCart/a'], 'TestCart/a/b', 'TestCart/a'],
    [['TestCart'], 'TestCart/a/b', 'TestCart'],
    [['TestCart'], 'TestCart', null],
    [['TestCart'], 'TestCarts/a', null],
    [['TestCart/a'], 'TestCart/ab/c', null],
    [['TestCart/'], 'TestCart//a', 'TestCart/'],
    [[''], '/a', null],
  ])('of %j is for %s: %s', (names, name, parent) => {
    expect(findParent(names, name)).toBe(parent);
  });

  it('is the known test with the longest name that ends at a slash', () => {
    const name = fc
      .array(fc.constantFrom('a', 'b', '/'), { minLength: 1, maxLength: 8 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(name, { maxLength: 8 }), name, (names, searched) => {
        const around = names.filter((known) => searched.startsWith(`${known}/`));
        const longest = around.toSorted((one, other) => other.length - one.length)[0] ?? null;
        expect(findParent(names, searched)).toBe(longest);
      }),
    );
  });
});
