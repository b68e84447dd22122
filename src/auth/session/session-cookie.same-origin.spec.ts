import { describe, expect, it } from '@jest/globals';
import type { IncomingHttpHeaders } from 'node:http';
import { isSameOrigin } from './session-cookie.js';

const BASE_URL = 'https://gate.example:8443/shipgate';

const mayAct = (method: string, headers: IncomingHttpHeaders): boolean => isSameOrigin({ method, headers }, BASE_URL);

describe('isSameOrigin', () => {
  it.each(['GET', 'HEAD', 'OPTIONS'])('accepts %s from any origin, because it changes nothing', (method) => {
    expect(mayAct(method, {})).toBe(true);
    expect(mayAct(method, { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })).toBe(true);
  });

  describe.each(['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'get', ''])('%s', (method) => {
    it.each<[string, IncomingHttpHeaders]>([
      ['from a page of the service', { origin: 'https://gate.example:8443' }],
      ['from a page whose origin the browser did not send', { 'sec-fetch-site': 'same-origin' }],
      [
        'whose origin takes precedence over Sec-Fetch-Site',
        { origin: 'https://gate.example:8443', 'sec-fetch-site': 'cross-site' },
      ],
    ])('acts %s', (_, headers) => {
      expect(mayAct(method, headers)).toBe(true);
    });

    it.each<[string, IncomingHttpHeaders]>([
      ['without an origin and a site', {}],
      ['from another host', { origin: 'https://evil.example' }],
      ['from another scheme', { origin: 'http://gate.example:8443' }],
      ['from another port', { origin: 'https://gate.example' }],
      ['from a subdomain of the service', { origin: 'https://a.gate.example:8443' }],
      ['from a host whose name begins like that of the service', { origin: 'https://gate.example:8443.evil.example' }],
      ['from a page with an opaque origin', { origin: 'null' }],
      ['with an empty origin', { origin: '' }],
      ['with the whole address for an origin', { origin: BASE_URL }],
      [
        'from another host with a contradicting site',
        { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
      ],
      ['from another site', { 'sec-fetch-site': 'cross-site' }],
      ['from another origin of the same site', { 'sec-fetch-site': 'same-site' }],
      ['from an address that a user typed', { 'sec-fetch-site': 'none' }],
      ['with an empty site', { 'sec-fetch-site': '' }],
    ])('rejects a request %s', (_, headers) => {
      expect(mayAct(method, headers)).toBe(false);
    });
  });
});
