import { describe, expect, it } from '@jest/globals';
import type { IncomingHttpHeaders } from 'node:http';
import { isSameOrigin } from './session-cookie.js';

const BASE_URL = 'https://gate.example:8443/shipgate';

const mayAct = (method: string, headers: IncomingHttpHeaders): boolean => isSameOrigin({ method, headers }, BASE_URL);

describe('mayActForSession', () => {
  it.each(['GET', 'HEAD', 'OPTIONS'])('accepts %s from any origin, because it changes nothing', (method) => {
    expect(mayAct(method, {})).toBe(true);
    expect(mayAct(method, { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })).toBe(true);
  });

  describe.each(['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'get', ''])('%s', (method) => {
    it.each<[string, IncomingHttpHeaders]>([
      ['from a page of the service', { origin: 'https://gate.example:8443' }],
      ['from a page whose origin the browser kept to itself', { 'sec-fetch-site': 'same-origin' }],
      [
        'whose origin counts before what else is said',
        { origin: 'https://gate.example:8443', 'sec-fetch-site': 'cross-site' },
      ],
    ])('acts %s', (_, headers) => {
      expect(mayAct(method, headers)).toBe(true);
    });

    it.each<[string, IncomingHttpHeaders]>([
      ['that nothing vouches for', {}],
      ['from another host', { origin: 'https://evil.example' }],
      ['from another scheme', { origin: 'http://gate.example:8443' }],
      ['from another port', { origin: 'https://gate.example' }],
      ['from a host below ours', { origin: 'https://a.gate.example:8443' }],
      ['from a host that begins like ours', { origin: 'https://gate.example:8443.evil.example' }],
      ['from a page that hides where it is', { origin: 'null' }],
      ['with an empty origin', { origin: '' }],
      ['with the whole address for an origin', { origin: BASE_URL }],
      ['from elsewhere, whatever else is said', { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }],
      ['from another site', { 'sec-fetch-site': 'cross-site' }],
      ['from a neighbour of the same site', { 'sec-fetch-site': 'same-site' }],
      ['that a person typed', { 'sec-fetch-site': 'none' }],
      ['with an empty site', { 'sec-fetch-site': '' }],
    ])('does not act %s', (_, headers) => {
      expect(mayAct(method, headers)).toBe(false);
    });
  });
});
