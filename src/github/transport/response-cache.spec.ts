import { describe, expect, it } from '@jest/globals';
import { ResponseCache } from './response-cache.js';

const answer = (text: string) => ({ etag: '"e"', text, link: null });

describe('AnswerCache', () => {
  it('drops what was unused the longest when it is full', () => {
    const cache = new ResponseCache(80);
    for (let key = 0; key < 8; key += 1) cache.keep(String(key), answer('123456789'));
    cache.find('0');
    cache.keep('8', answer('123456789'));
    expect(cache.find('0')).toEqual(answer('123456789'));
    expect(cache.find('1')).toBeNull();
    expect(cache.find('2')).not.toBeNull();
  });

  it('counts a replaced answer once', () => {
    const cache = new ResponseCache(80);
    cache.keep('other', answer('1'));
    for (let times = 0; times < 100; times += 1) cache.keep('same', answer('123456'));
    expect(cache.find('other')).not.toBeNull();
  });

  it('does not keep one answer at the cost of most others, nor an older one in its place', () => {
    const cache = new ResponseCache(80);
    cache.keep('key', answer('1'));
    cache.keep('key', answer('x'.repeat(11)));
    expect(cache.find('key')).toBeNull();
  });
});
