import { expect } from '@jest/globals';
import type { TestDatabase } from '../support/database.js';
import type { BuiltService } from './built-service.js';
import type { CallOperation } from './contract-call.js';
import { givenSession } from './given-session.js';

/** Provokes every documented response about the state of the service, except those without a database. */
export async function callDiagnosis(call: CallOperation, of: BuiltService, database: TestDatabase): Promise<void> {
  const [admin, member] = [await givenSession(database, 'admin'), await givenSession(database, 'member')];
  const show = (cookie: string): Promise<number> => call('getDiagnostics', { of, headers: { cookie } });
  expect(await show(admin)).toBe(200);
  expect(await call('getDiagnostics', { of, headers: { cookie: admin }, query: { x: '\u0000' } })).toBe(400);
  expect(await call('getDiagnostics', { of })).toBe(401);
  expect(await show(member)).toBe(403);
}
