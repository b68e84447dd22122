import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { readReturnPath } from './login-cookie.js';

describe('readReturnPath', () => {
  it.each([
    ['/', '/'],
    ['/releases', '/releases'],
    ['/releases?stage=TESTING&page=2#list', '/releases?stage=TESTING&page=2#list'],
    ['/releases?next=//elsewhere.example', '/releases?next=//elsewhere.example'],
    ['/releases?next=https://elsewhere.example/%2F', '/releases?next=https://elsewhere.example/%2F'],
    ['/a//b', '/a//b'],
    ['/a/../b', '/b'],
    ['/ünïcode', '/%C3%BCn%C3%AFcode'],
    ['/@elsewhere.example', '/@elsewhere.example'],
    ['/:8080', '/:8080'],
    ['/api/config/install/callback?installation_id=7', '/api/config/install/callback?installation_id=7'],
    ['/api/authors', '/api/authors'],
    ['/help/api/auth', '/help/api/auth'],
  ])('accepts %s', (text, path) => {
    expect(readReturnPath(text)).toBe(path);
  });

  it.each([
    ['an empty text', ''],
    ['no path', 'releases'],
    ['an address', 'https://elsewhere.example/'],
    ['a script', 'javascript:alert(1)'],
    ['a host', '//elsewhere.example'],
    ['a host behind three slashes', '///elsewhere.example'],
    ['a backslash', '/\\elsewhere.example'],
    ['two backslashes', '\\\\elsewhere.example'],
    ['a backslash after a name', '/a\\..\\\\elsewhere.example'],
    ['an escaped slash', '/%2felsewhere.example'],
    ['an escaped slash in capitals', '/%2Felsewhere.example'],
    ['a slash that was escaped twice', '/%252felsewhere.example'],
    ['an escaped backslash', '/%5celsewhere.example'],
    ['a backslash that was escaped twice', '/%255Celsewhere.example'],
    ['a tab between the slashes', '/\t/elsewhere.example'],
    ['a line feed between the slashes', '/\n/elsewhere.example'],
    ['a carriage return', '/\r/elsewhere.example'],
    ['an escaped tab', '/%09/elsewhere.example'],
    ['an escaped line break, as for a header', '/a%0d%0aSet-Cookie:%20a=b'],
    ['a line break that was escaped twice', '/a%250d%250aSet-Cookie:%20a=b'],
    ['a NUL', '/a\0'],
    ['a space at the front', ' //elsewhere.example'],
    ['a space between the slashes', '/ /elsewhere.example'],
    ['dots that leave two slashes', '/..//elsewhere.example'],
    ['dots within that leave two slashes', '/a/..//elsewhere.example'],
    ['escaped dots that leave two slashes', '/%2e%2e//elsewhere.example'],
    ['dots that leave an escaped slash', '/a/../%2felsewhere.example'],
    ['a dot that leaves two slashes', '/.//elsewhere.example'],
    ['an invalid escape', '/a%zz'],
    ['the sign-in itself', '/api/auth/login?returnTo=/'],
    ['an escaped path of the sign-in', '/api/%61uth/login'],
    ['more than 2,000 characters', `/${'a'.repeat(2000)}`],
  ])('rejects %s', (_, text) => {
    expect(readReturnPath(text)).toBeNull();
  });

  it('accepts 2,000 characters', () => {
    const path = `/${'a'.repeat(1999)}`;
    expect(readReturnPath(path)).toBe(path);
  });

  it('never returns a path that leads to another host', () => {
    const items = fc.constantFrom(
      '/',
      '\\',
      '.',
      '..',
      '%2f',
      '%5C',
      '%25',
      '2f',
      '%09',
      '\t',
      '@',
      ':',
      '?',
      '#',
      'evil.example',
      'a',
    );
    fc.assert(
      fc.property(fc.array(items, { maxLength: 8 }), (parts) => {
        const path = readReturnPath(`/${parts.join('')}`);
        if (path === null) return;
        expect(new URL(path, 'https://shipgate.example').origin).toBe('https://shipgate.example');
        expect(path).toMatch(/^\/(?![/\\])/);
        // A proxy may decode the path once before it redirects.
        expect(decodeURIComponent(path.replace(/[?#].*/, ''))).toMatch(/^\/(?![/\\])/);
        expect(readReturnPath(path)).toBe(path);
      }),
      { numRuns: 5_000 },
    );
  });
});
