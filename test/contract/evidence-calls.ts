import { expect } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import type { Call, CallOperation } from './contract-call.js';
import type { GivenWorkspace } from './given-workspace.js';

const FIELDS = {
  repo: 'acme/payments',
  version: 'v1.4.0',
  pipeline: 'build and test',
  commit_sha: 'f1d2d2f924e986ac86fdf7b36c94bcdf32beec15',
};
const GREEN = '<testsuite tests="1"><testcase name="pays"/></testsuite>';

/** A form of these fields and of one file, as bytes. */
export function givenForm(fields: Readonly<Record<string, string>> = {}, file = GREEN): Pick<Call, 'body' | 'headers'> {
  const parts = Object.entries({ ...FIELDS, ...fields }).map(
    ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  parts.push(`--b\r\nContent-Disposition: form-data; name="file"; filename="junit.xml"\r\n\r\n${file}\r\n--b--\r\n`);
  return { body: Buffer.from(parts.join('')), headers: { 'content-type': 'multipart/form-data; boundary=b' } };
}

/** Every answer to an upload of report files. */
export async function callReportUpload(call: CallOperation, { both, gateOnly }: GivenWorkspace['keys']): Promise<void> {
  const send = (form: Pick<Call, 'body' | 'headers'>, more: Call = {}): Promise<number> =>
    call('evidenceUploadReport', { bearer: both, ...form, ...more, headers: { ...form.headers, ...more.headers } });
  const headers = { 'idempotency-key': 'two' };
  expect(await send(givenForm(), { headers })).toBe(201);
  expect(await send(givenForm(), { headers })).toBe(200);
  expect(await send(givenForm({ job: 'other' }), { headers })).toBe(409);
  expect(await send(givenForm({ unknown: 'field' }))).toBe(400);
  expect(await call('evidenceUploadReport', givenForm())).toBe(401);
  expect(await send(givenForm(), { bearer: gateOnly })).toBe(403);
  expect(await send(givenForm({ org: 'other' }))).toBe(403);
  expect(await send(givenForm({ version: 'v9.9.9' }))).toBe(404);
  const bomb = { ...givenForm(), body: gzipSync(Buffer.alloc(60_000_000, ' ')) };
  expect(await send(bomb, { headers: { 'content-encoding': 'gzip' } })).toBe(413);
  expect(await send(givenForm(), { headers: { 'content-type': 'application/json' } })).toBe(415);
  expect(await send(givenForm({}, '<testsuite>'))).toBe(422);
}
