import { describe, expect, it } from '@jest/globals';
import { toMediaType } from './evidence.dto.js';

describe('the type that a report is served as', () => {
  it.each([
    ['html', '{"not": "markup"}', 'text/html; charset=utf-8'],
    ['junit', '\uFEFF\n <?xml version="1.0"?>', 'application/xml'],
    ['cyclonedx', '<bom/>', 'application/xml'],
    ['cyclonedx', '{"bomFormat": "CycloneDX"}', 'application/json'],
    ['spdx', '[]', 'application/json'],
    ['json', '"text"', 'text/plain; charset=utf-8'],
    ['go-test', '{"Action":"start"}\n', 'application/x-ndjson'],
    ['lcov', 'TN:\nSF:a.ts', 'text/plain; charset=utf-8'],
    ['tap', '', 'text/plain; charset=utf-8'],
  ])('is of %s, beginning %j, %s', (format, beginning, type) => {
    expect(toMediaType(format, Buffer.from(beginning))).toBe(type);
  });

  it('also detects the type of UTF-16 text', () => {
    const little = Buffer.from('\uFEFF<testsuite/>', 'utf16le');
    expect(toMediaType('junit', little)).toBe('application/xml');
    expect(toMediaType('junit', Buffer.from(little).swap16())).toBe('application/xml');
  });
});
