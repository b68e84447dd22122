import { describe, expect, it } from '@jest/globals';
import { parseCoAuthors } from './co-authors.js';

const HOSTS = new Set(['github.com', 'git.acme.test']);
const ADA = 'Co-authored-by: Ada <583231+ada@users.noreply.github.com>';

describe('parseCoAuthors', () => {
  it.each<[string, string, readonly (number | string)[]]>([
    ['a message without a trailer', 'Pay by card', []],
    ['a trailer', `Pay by card\n\n${ADA}`, [583231]],
    ['trailers of several users', `Pay\n\n${ADA}\nCo-authored-by: Bo <7+bo@users.noreply.github.com>\n`, [583231, 7]],
    ['a user who is named twice', `Pay\n\n${ADA}\n${ADA}`, [583231]],
    ['an address without an id', 'Pay\n\nCo-authored-by: Ada <Ada-L@users.noreply.github.com>', ['ada-l']],
    ['a managed account', 'Pay\n\nCo-authored-by: Ada <ada_acme@users.noreply.github.com>', ['ada_acme']],
    ['a bot', 'Pay\n\nCo-authored-by: d[bot] <49699333+d[bot]@users.noreply.github.com>', [49699333]],
    ['a bot without an id', 'Pay\n\nCo-authored-by: d <d[bot]@users.noreply.github.com>', ['d[bot]']],
    ['a trailer in any case', 'Pay\n\nCO-AUTHORED-BY: Ada <5+ADA@USERS.NOREPLY.GITHUB.COM>', [5]],
    ['a trailer with any spacing', 'Pay\n\n  Co-authored-by :Ada<  5+ada@users.noreply.github.com >', [5]],
    ['a trailer without angle brackets', 'Pay\n\nCo-authored-by: 5+ada@users.noreply.github.com', [5]],
    ['lines with Windows line ends', `Pay\r\n\r\n${ADA}\r\nSigned-off-by: Bo <bo@acme.test>\r\n`, [583231]],
    ['lines with old Mac line ends', `Pay\r\r${ADA}\rmore`, [583231]],
    ['a folded line', 'Pay\n\nCo-authored-by: Ada\n  <5+ada@users.noreply.github.com>', [5]],
    ['a paragraph that is not the last', `Pay\n\n${ADA}\n\nReviewed in the meeting.`, [583231]],
    ['the subject', ADA, [583231]],
    ['the squashed commits of a pull request', `* Pay\n\n* ${ADA}\n\n---------\n`, [583231]],
    [
      'two addresses in one line',
      'Co-authored-by: <1+a@users.noreply.github.com> <2+b@users.noreply.github.com>',
      [1, 2],
    ],
    ['an address of the enterprise server', 'Co-authored-by: Ada <5+ada@users.noreply.git.acme.test>', [5]],
    ['an address of another host', 'Co-authored-by: Ada <5+ada@users.noreply.github.com.evil.test>', []],
    ['an address of another subdomain', 'Co-authored-by: Ada <5+ada@noreply.github.com>', []],
    ['a private address', 'Co-authored-by: Ada <ada@acme.test>', []],
    ['an address with a prefix', 'Co-authored-by: Ada <x.5+ada@users.noreply.github.com>', []],
    ['another trailer', 'Pay\n\nReviewed-by: Ada <5+ada@users.noreply.github.com>', []],
    ['an address before the trailer', '5+ada@users.noreply.github.com said Co-authored-by: unknown', []],
  ])('finds the co-authors in %s', (_what, message, found) => {
    expect(parseCoAuthors(message, HOSTS)).toEqual(found);
  });

  it('reads a long message without scanning any part repeatedly', () => {
    const long = `Co-authored-by: ${'a'.repeat(400_000)}\n${'\n '.repeat(100_000)}\n${ADA}`;
    expect(parseCoAuthors(long, HOSTS)).toEqual([583231]);
  });
});
