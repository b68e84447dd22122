import { describe, expect, it } from '@jest/globals';
import { prefersHtml } from './error.filter.js';

describe('prefersHtml', () => {
  it.each([
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
    'text/html',
    'TEXT/HTML',
    'text/*',
    'application/json;q=0.5, text/html;q=0.6',
    'application/json;q=0, */*',
  ])('is true for %s', (accept) => {
    expect(prefersHtml(accept)).toBe(true);
  });

  it.each([
    undefined,
    '',
    '*/*',
    'application/json',
    'application/json, text/html;q=0.9',
    'text/html, application/json',
    'text/html;q=0, */*;q=0.1',
    'text/html;q=a',
    'application/*',
    'image/png',
  ])('is false for %s', (accept) => {
    expect(prefersHtml(accept)).toBe(false);
  });
});
