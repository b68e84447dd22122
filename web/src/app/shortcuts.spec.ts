import { describe, expect, it } from '@jest/globals';
import { ShortcutReader, type Shortcut } from './shortcuts.js';

const read = (...keys: readonly (readonly [string, number])[]): Shortcut | null => {
  const reader = new ShortcutReader();
  return keys.map(([key, now]) => reader.read(key, now)).at(-1) ?? null;
};

describe('ShortcutReader', () => {
  it.each([
    ['?', 'help'],
    ['/', 'search'],
    ['j', 'next-row'],
    ['k', 'previous-row'],
    ['r', 'refresh'],
    ['x', null],
    ['toString', null],
    ['g', null],
  ])('reads %s', (key, shortcut) => {
    expect(read([key, 0])).toBe(shortcut);
  });

  it.each([
    ['r', 'releases'],
    ['v', 'reviews'],
    ['q', 'quality'],
    ['p', 'projects'],
    ['h', 'history'],
    ['o', 'repositories'],
    ['f', 'freezes'],
  ])('reads g and %s', (key, screen) => {
    expect(read(['g', 0], [key, 500])).toEqual({ open: screen });
  });

  it('reads no screen after a pause', () => {
    expect(read(['g', 0], ['r', 2_000])).toBe('refresh');
    expect(read(['g', 0], ['q', 2_000])).toBeNull();
  });

  it('starts again after a key that opens no screen', () => {
    expect(read(['g', 0], ['x', 100], ['r', 200])).toBe('refresh');
  });
});
