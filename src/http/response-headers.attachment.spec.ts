import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { attachment } from './response-headers.js';

describe('the disposition of an attachment', () => {
  it.each([
    ['junit.xml', 'attachment; filename="junit.xml"'],
    [
      'Bericht über März.html',
      `attachment; filename="Bericht u_ber Ma_rz.html"; filename*=UTF-8''Bericht%20%C3%BCber%20M%C3%A4rz.html`,
    ],
    ['报告.html', `attachment; filename="__.html"; filename*=UTF-8''%E6%8A%A5%E5%91%8A.html`],
    ['../../etc/passwd', 'attachment; filename="_.._etc_passwd"'],
    ['C:\\reports\\a.xml', 'attachment; filename="C__reports_a.xml"'],
    ['a"; filename="evil.exe', 'attachment; filename="a_; filename=_evil.exe"'],
    ['a\r\nSet-Cookie: x=1', 'attachment; filename="a__Set-Cookie_ x=1"'],
    ['evil\u202Elmx.exe', 'attachment; filename="evil_lmx.exe"'],
    ['.bashrc', 'attachment; filename="bashrc"'],
    ['a%2e%22', 'attachment; filename="a_2e_22"'],
    [
      'a\uFF02; filename=\uFF02evil.exe',
      `attachment; filename="a_; filename=_evil.exe"; filename*=UTF-8''a%EF%BC%82%3B%20filename%3D%EF%BC%82evil.exe`,
    ],
    ['\uFF0E\uFF0E\uFF0Fa\uFF05', `attachment; filename="_a_"; filename*=UTF-8''%EF%BC%8E%EF%BC%8E%EF%BC%8Fa%EF%BC%85`],
    ['...', 'attachment; filename="report"'],
    ['', 'attachment; filename="report"'],
  ])('contains only a safe form of the name %j', (name, disposition) => {
    expect(attachment(name)).toBe(disposition);
  });

  it('is one ASCII header with only the name for any name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (name) => {
        expect(attachment(name)).toMatch(
          /^attachment; filename="[ !#$&-).+,\-0-9;=@-[\]-{}~]{1,150}"(?:; filename\*=UTF-8''(?:[\w!#$&+.^`|~-]|%[0-9A-F]{2})+)?$/,
        );
      }),
    );
  });
});
