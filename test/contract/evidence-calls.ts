import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect } from '@jest/globals';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { TestDatabase } from '../support/database.js';
import type { BuiltService } from './built-service.js';
import type { Call, CallOperation } from './contract-call.js';
import { PUBLIC_URL } from './given-github.js';
import { givenSession } from './given-session.js';
import type { GivenWorkspace } from './given-workspace.js';

const READINGS = ['listEvidence', 'getEvidence', 'downloadReport'] as const;
const NUL = { x: '\u0000' };

const FIELDS = {
  repo: 'acme/payments',
  version: 'v1.4.0',
  pipeline: 'build and test',
  commit_sha: 'f1d2d2f924e986ac86fdf7b36c94bcdf32beec15',
};
const GREEN = '<testsuite tests="1"><testcase name="pays"/></testsuite>';

/** A form with these fields and one file, as bytes. */
export function givenForm(fields: Readonly<Record<string, string>> = {}, file = GREEN): Pick<Call, 'body' | 'headers'> {
  const parts = Object.entries({ ...FIELDS, ...fields }).map(
    ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  parts.push(`--b\r\nContent-Disposition: form-data; name="file"; filename="junit.xml"\r\n\r\n${file}\r\n--b--\r\n`);
  return { body: Buffer.from(parts.join('')), headers: { 'content-type': 'multipart/form-data; boundary=b' } };
}

/** Provokes every documented response to an upload of report files. */
export async function callReportUpload(call: CallOperation, { both, gateOnly }: GivenWorkspace['keys']): Promise<void> {
  const send = (form: Pick<Call, 'body' | 'headers'>, more: Call = {}): Promise<number> =>
    call('uploadReports', {
      bearer: both,
      ...form,
      ...more,
      headers: { ...form.headers, ...more.headers },
    });
  const headers = { 'idempotency-key': 'two' };
  expect(await send(givenForm(), { headers })).toBe(201);
  expect(await send(givenForm(), { headers })).toBe(200);
  expect(await send(givenForm({ job: 'other' }), { headers })).toBe(409);
  expect(await send(givenForm({ unknown: 'field' }))).toBe(400);
  expect(await call('uploadReports', givenForm())).toBe(401);
  expect(await send(givenForm(), { bearer: gateOnly })).toBe(403);
  expect(await send(givenForm({ org: 'other' }))).toBe(403);
  expect(await send(givenForm({ version: 'v9.9.9' }))).toBe(404);
  const bomb = { ...givenForm(), body: gzipSync(Buffer.alloc(60_000_000, ' ')) };
  expect(await send(bomb, { headers: { 'content-encoding': 'gzip' } })).toBe(413);
  expect(await send(givenForm(), { headers: { 'content-type': 'application/json' } })).toBe(415);
  expect(await send(givenForm({}, '<testsuite>'))).toBe(422);
}

/** Provokes every documented response to a request for evidence. */
export async function callEvidence(call: CallOperation, of: BuiltService, database: TestDatabase): Promise<void> {
  const session = async (role: 'member' | null): Promise<Call> => ({
    of,
    headers: { cookie: await givenSession(database, role), origin: PUBLIC_URL },
  });
  const [member, outsider] = [await session('member'), await session(null)];
  const { releaseId, ...evidence } = await givenReport(database);
  for (const operationId of READINGS) {
    const path = operationId === 'listEvidence' ? { id: releaseId } : evidence;
    expect(await call(operationId, { ...member, path })).toBe(200);
    expect(await call(operationId, { ...member, path, query: NUL })).toBe(400);
    expect(await call(operationId, { of, path })).toBe(401);
    expect(await call(operationId, { ...outsider, path })).toBe(403);
    expect(await call(operationId, { ...member, path: { id: randomUUID(), reportId: randomUUID() } })).toBe(404);
  }
  for (const query of [{ page: '1' }, { pageSize: '10', type: 'unit_tests' }, { environment: 'ci', decides: 'true' }]) {
    expect(await call('listEvidence', { ...member, path: { id: releaseId }, query })).toBe(200);
  }
  expect(await call('listEvidence', { ...member, path: { id: releaseId }, query: { decides: 'yes' } })).toBe(400);
  expect(await call('getEvidence', { ...member, path: { id: 'upload' } })).toBe(404);
  await withDedicatedClient(database.superuserUrl, (client) =>
    client.query(`update report_content set bytes = 'other'`),
  );
  expect(await call('downloadReport', { ...member, path: evidence })).toBe(500);
}

export async function callEvidenceWithoutDatabase(
  call: CallOperation,
  of: BuiltService,
  cookie: string,
): Promise<void> {
  const path = { id: randomUUID(), reportId: randomUUID() };
  for (const operationId of READINGS) expect(await call(operationId, { of, headers: { cookie }, path })).toBe(503);
}

/** Finds uploaded evidence of `acme/payments`, and makes the repository public, so that every member can read it. */
async function givenReport({
  superuserUrl,
}: TestDatabase): Promise<{ id: string; reportId: string; releaseId: string }> {
  return withDedicatedClient(superuserUrl, async (client) => {
    await client.query(`update repository set private = false where name = 'payments'`);
    const { rows } = await client.query<{ id: string; reportId: string; releaseId: string }>(
      `select e.id, r.id as "reportId", e.release_id as "releaseId"
       from evidence e join evidence_report r on r.evidence_id = e.id where r.name = 'junit.xml' limit 1`,
    );
    const [row] = rows;
    if (!row) throw new Error('nothing was uploaded');
    return row;
  });
}
