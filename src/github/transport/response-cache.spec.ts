import { describe, expect, it } from '@jest/globals';
import { createResponseCache } from './response-cache.js';

const answer = (text: string) => ({ etag: '"e"', text, link: null });

describe('createResponseCache', () => {
  it('drops the least recently used response when it is full', () => {
    const cache = createResponseCache(80);
    for (let key = 0; key < 8; key += 1) cache.set(String(key), answer('123456789'));
    cache.get('0');
    cache.set('8', answer('123456789'));
    expect(cache.get('0')).toEqual(answer('123456789'));
    expect(cache.get('1')).toBeUndefined();
    expect(cache.get('2')).toBeDefined();
  });

  it('counts a replaced response once', () => {
    const cache = createResponseCache(80);
    cache.set('other', answer('1'));
    for (let times = 0; times < 100; times += 1) cache.set('same', answer('123456'));
    expect(cache.get('other')).toBeDefined();
  });

  it('does not store a response that would evict most others, and drops the older one under its key', () => {
    const cache = createResponseCache(80);
    cache.set('key', answer('1'));
    cache.set('key', answer('x'.repeat(11)));
    expect(cache.get('key')).toBeUndefined();
  });
});
