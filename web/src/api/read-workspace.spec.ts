import { describe, expect, it } from '@jest/globals';
import { readWorkspace } from './read-workspace.js';

describe('readWorkspace', () => {
  it.each([
    ['/w/acme/releases', 'acme'],
    ['/w/acme?page=2', 'acme'],
    ['/w/a%20b#top', 'a b'],
    ['/workspaces', null],
    ['/w/', null],
  ])('reads the workspace of %s', (pathname, org) => {
    expect(readWorkspace(pathname)).toBe(org);
  });

  it.each(['/w/%', '/w/%E0%A4%A/releases', '/w/acme%/releases'])(
    'finds no workspace in the malformed %s',
    (pathname) => {
      expect(readWorkspace(pathname)).toBeNull();
    },
  );
});
