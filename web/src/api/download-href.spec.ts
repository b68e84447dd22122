import { expect, it } from '@jest/globals';
import { downloadHref } from './download-href.js';

it('names the workspace, and encodes the values', () => {
  expect(downloadHref('/api/history/export', 'acme', { search: 'a&b=c', kind: undefined, format: 'csv' })).toBe(
    '/api/history/export?search=a%26b%3Dc&format=csv&workspace=acme',
  );
  expect(downloadHref('/api/milestones/m1/audit-pack', 'acme')).toBe('/api/milestones/m1/audit-pack?workspace=acme');
});
