import { describe, expect, it } from '@jest/globals';
import { nextPageUrl } from './http-exchange.js';

const API = 'https://github.test/api/v3';
const NEXT = 'https://github.test/api/v3/repositories/101/milestones?page=2';

describe('nextPageUrl', () => {
  it.each([
    ['GitHub', `<${NEXT}>; rel="next", <https://github.test/last>; rel="last"`],
    ['another order', `<https://github.test/first>; rel="first", <${NEXT}>; rel="next"`],
    ['no quotes', `<${NEXT}>; rel=next`],
    ['more parameters', `<${NEXT}>; title="page"; rel="next"`],
  ])('finds the next page as %s writes it', (_, link) => {
    expect(nextPageUrl(link, API)).toBe(NEXT);
  });

  it.each([null, '', '<https://github.test/prev>; rel="prev"', '<https://github.test/x>; rel="nextish"'])(
    'finds no next page in %p',
    (link) => {
      expect(nextPageUrl(link, API)).toBeNull();
    },
  );

  it.each(['https://elsewhere.test/page2', 'http://github.test/page2', 'https://github.test:8443/page2', 'page2'])(
    'rejects %s',
    (address) => {
      expect(() => nextPageUrl(`<${address}>; rel="next"`, API)).toThrow('on another host');
    },
  );
});
