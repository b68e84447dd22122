import { expect } from '@jest/globals';
import type { TestDatabase } from '../support/database.js';
import type { CallOperation } from './contract-call.js';
import { givenUsedUpLimit } from './given-used-up-limit.js';

const NUL = { x: '\u0000' };
const CROWDED_ADDRESS = '203.0.113.213';
const OPERATIONS = ['pagesFront', 'pagesInvite', 'pagesAsset'];
/** The files that a front page loads. */
const FILES = ['shipgate.css', 'shipgate.svg', 'front-page.js'];

/** Every answer of the pages. */
export async function callPages(call: CallOperation, database: TestDatabase): Promise<void> {
  for (const name of FILES) expect(await call('pagesAsset', { path: { name } })).toBe(200);
  expect(await call('pagesAsset', { path: { name: 'another.js' } })).toBe(404);
  const stored = { path: { name: 'shipgate.css' }, headers: { 'If-None-Match': '*' } };
  expect(await call('pagesAsset', stored)).toBe(304);
  for (const limit of ['public', 'page-files']) await givenUsedUpLimit(database, `${limit}:${CROWDED_ADDRESS}`);
  for (const operationId of OPERATIONS) {
    const request = { path: { name: 'shipgate.css' } };
    expect(await call(operationId, request)).toBe(200);
    expect(await call(operationId, { ...request, query: NUL })).toBe(400);
    expect(await call(operationId, { ...request, address: CROWDED_ADDRESS })).toBe(429);
  }
}
