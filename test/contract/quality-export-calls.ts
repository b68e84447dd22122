import { expect } from '@jest/globals';
import type { TestDatabase } from '../support/database.js';
import type { BuiltService } from './built-service.js';
import type { Call, CallOperation } from './contract-call.js';
import { PUBLIC_URL } from './given-github.js';
import { givenSession } from './given-session.js';

const QUERIES: readonly Readonly<Record<string, string>>[] = [
  { format: 'csv' },
  { format: 'html', repo: 'measured' },
  { format: 'xlsx', type: 'unit_tests', environment: 'staging' },
  { format: 'html', repo: 'nothing' },
];
const REFUSED: readonly Readonly<Record<string, string>>[] = [
  {},
  { format: 'pdf' },
  { format: 'csv', page: '1' },
  { format: 'csv', type: 'tests' },
  { format: 'csv', x: '\u0000' },
];

/** Provokes every documented response with the quality of releases as a file. */
export async function callQualityExport(call: CallOperation, of: BuiltService, database: TestDatabase): Promise<void> {
  const session = async (role: 'member' | null): Promise<Call> => ({
    of,
    headers: { cookie: await givenSession(database, role), origin: PUBLIC_URL },
  });
  const [member, outsider] = [await session('member'), await session(null)];
  for (const query of QUERIES) expect(await call('exportQuality', { ...member, query })).toBe(200);
  for (const query of REFUSED) expect(await call('exportQuality', { ...member, query })).toBe(400);
  const query = { format: 'csv' };
  expect(await call('exportQuality', { of, query })).toBe(401);
  expect(await call('exportQuality', { ...outsider, query })).toBe(403);
}

export async function callQualityExportWithoutDatabase(
  call: CallOperation,
  of: BuiltService,
  cookie: string,
): Promise<void> {
  expect(await call('exportQuality', { of, headers: { cookie }, query: { format: 'xlsx' } })).toBe(503);
}
