import { describe, expect, it } from '@jest/globals';
import { normalizeForSearch } from './normalize-for-search.js';

describe('normalizeForSearch', () => {
  it.each([
    ['Checkout', 'CHECKOUT'],
    ['Größe', 'GRÖßE'],
    ['Cafe\u0301', 'CAFÉ'],
    ['ПРОЕКТ', 'проект'],
    ['İstanbul', 'İSTANBUL'],
    ['50%_\\', '50%_\\'],
    ['שלום', 'שלום'],
    ['😀', '😀'],
  ])('returns the same text for %s and %s', (one, other) => {
    expect(normalizeForSearch(one)).toBe(normalizeForSearch(other));
  });

  it.each([
    ['Checkout', 'Check out'],
    ['é', 'e'],
    ['a', 'а'],
  ])('returns different texts for %s and %s', (one, other) => {
    expect(normalizeForSearch(one)).not.toBe(normalizeForSearch(other));
  });

  it('does not change a text that is normalized already', () => {
    for (const text of ['İ', 'Å', 'ǅ', 'ﬁ', 'Σ']) {
      const once = normalizeForSearch(text);
      expect(normalizeForSearch(once)).toBe(once);
    }
  });
});
