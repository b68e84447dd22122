import { expect } from '@jest/globals';
import type { CallOperation } from './contract-call.js';

const NUL = { x: '\u0000' };
const PUBLIC_LIMIT = 60;
/** The operations with an address each of its own, which asks too often. */
const ADDRESSES = { pagesFront: '203.0.113.211', pagesInvite: '203.0.113.212', pagesAsset: '203.0.113.213' } as const;
/** The files that a front page loads. */
const FILES = ['shipgate.css', 'shipgate.svg', 'front-page.js'];

/** Every answer of the pages. */
export async function callPages(call: CallOperation): Promise<void> {
  for (const name of FILES) expect(await call('pagesAsset', { path: { name } })).toBe(200);
  expect(await call('pagesAsset', { path: { name: 'another.js' } })).toBe(404);
  for (const [operationId, address] of Object.entries(ADDRESSES)) {
    const request = { path: { name: 'shipgate.css' }, address };
    expect(await call(operationId, request)).toBe(200);
    expect(await call(operationId, { ...request, query: NUL })).toBe(400);
    const statuses = new Set<number>();
    // More than twice the limit: a window may end meanwhile.
    for (let asked = 0; asked < 2 * PUBLIC_LIMIT + 20 && !statuses.has(429); asked += 1) {
      statuses.add(await call(operationId, request));
    }
    expect([...statuses]).toEqual([200, 429]);
  }
}
