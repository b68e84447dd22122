import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { keySecret, SECRET_BYTES } from '../../src/domain/keys/key-secret.js';
import type { TestDatabase } from '../support/database.js';
import type { BuiltService } from './built-service.js';
import type { Call, CallOperation } from './contract-call.js';
import { UNREPORTED_INSTALLATION } from './given-github.js';
import { givenPersonalKey } from './given-personal-key.js';
import { givenUsedUpLimit } from './given-used-up-limit.js';

const NUL = { x: '\u0000' };
const DEEP = `${'['.repeat(70)}${']'.repeat(70)}`;
const READER = 4801;
const TIRED = 4802;
const LISTING = 4803;
const STARTING = 4804;
const TIRED_LISTING = 4805;
/** Operations that always fail, because the endpoint has no stream and no session. */
const NOT_THERE = ['openToolStream', 'endToolSession'] as const;
const ALL = ['sendToolMessage', ...NOT_THERE] as const;
const BY_PERSONAL_KEY = [
  'listActiveReleases',
  'listReleases',
  'getRelease',
  'getApprovalRecord',
  'startRelease',
] as const;

const message = (method: string, params: object = {}): object => ({ jsonrpc: '2.0', id: 1, method, params });
const callOf = (name: string, args: object): object => message('tools/call', { name, arguments: args });
/** A request of the revision without a handshake. */
const unknownMethod: Call = {
  body: message('resources/list', {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'probe', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  }),
  headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'resources/list' },
};

/** Provokes every documented response of the remote tools. */
export async function callTools(call: CallOperation, of: BuiltService, database: TestDatabase): Promise<void> {
  const tools: Call = { of, bearer: await givenPersonalKey(database, READER, 'read') };
  await withDedicatedClient(database.superuserUrl, async (client) => {
    await client.query(`update organization set installation_id = ${UNREPORTED_INSTALLATION} where github_id = 3001`);
    await callMessages(call, tools);
    await callAnyMethod(call, of, tools);
    const tired: Call = { of, bearer: await givenPersonalKey(database, TIRED, 'read') };
    await givenUsedUpLimit(database, `session:person:${TIRED}`);
    for (const operationId of ALL) expect(await call(operationId, tired)).toBe(429);
    await client.query('update organization set installation_id = null where github_id = 3001');
  });
  // A personal key is valid only while the app is installed.
  expect(await call('sendToolMessage', { ...tools, body: message('ping') })).toBe(401);
}

async function callMessages(call: CallOperation, tools: Call): Promise<void> {
  const answer = (request: Call): Promise<number> => call('sendToolMessage', { ...tools, ...request });
  expect(await answer({ body: message('tools/list') })).toBe(200);
  expect(await answer({ body: callOf('list_releases', {}) })).toBe(200);
  expect(await answer({ body: callOf('explain_gate', {}) })).toBe(200);
  expect(await answer({ body: callOf('quality', { repo: 'nothing' }) })).toBe(200);
  expect(await answer({ body: [message('ping'), message('nothing')] })).toBe(200);
  expect(await answer({ body: { jsonrpc: '2.0', method: 'notifications/initialized' } })).toBe(202);
  expect(await answer({ body: [] })).toBe(400);
  // Errors in the format of the protocol.
  expect(await answer({ body: {} })).toBe(400);
  expect(await answer({ body: callOf('sync', {}) })).toBe(403);
  expect(await answer(unknownMethod)).toBe(404);
  expect(await answer({ body: DEEP })).toBe(413);
  expect(await answer({ body: '<a/>', headers: { 'content-type': 'application/xml' } })).toBe(415);
}

async function callAnyMethod(call: CallOperation, of: BuiltService, tools: Call): Promise<void> {
  for (const operationId of ALL) {
    expect(await call(operationId, { of })).toBe(401);
    expect(await call(operationId, { ...tools, headers: { origin: 'https://evil.example' } })).toBe(403);
  }
  for (const operationId of NOT_THERE) {
    expect(await call(operationId, tools)).toBe(405);
    expect(await call(operationId, { ...tools, query: NUL })).toBe(400);
  }
  expect(await call('endToolSession', { ...tools, body: DEEP })).toBe(413);
  expect(await call('endToolSession', { ...tools, body: '<a/>', headers: { 'content-type': 'application/xml' } })).toBe(
    415,
  );
}

/** Provokes every documented response of the routes for members that accept a personal key. */
export async function callByPersonalKey(call: CallOperation, of: BuiltService, database: TestDatabase): Promise<void> {
  const [reading, writing] = [
    await givenPersonalKey(database, LISTING, 'read'),
    await givenPersonalKey(database, STARTING, 'write'),
  ];
  await withDedicatedClient(database.superuserUrl, async (client) => {
    await client.query(`update organization set installation_id = ${UNREPORTED_INSTALLATION} where github_id = 3001`);
    const { rows } = await client.query<{ readonly id: string }>(
      `update repository set private = false where name = 'payments' returning
         (select r.id from release r where r.repository_id = repository.id and r.version = 'v1.4.0') as id`,
    );
    const path = { owner: 'acme', repo: 'payments', id: rows[0]?.id ?? '' };
    for (const operationId of BY_PERSONAL_KEY) {
      const needed = operationId === 'startRelease' ? writing : reading;
      expect(await call(operationId, { of, path, bearer: needed })).toBe(200);
      expect(await call(operationId, { of, path, bearer: needed, query: NUL })).toBe(400);
      expect(await call(operationId, { of, path, bearer: 'sgp_mistyped' })).toBe(401);
    }
    expect(await call('startRelease', { of, path, bearer: reading })).toBe(403);
    for (const operationId of BY_PERSONAL_KEY.slice(1)) {
      const unknown = { owner: 'acme', repo: 'elsewhere', id: randomUUID() };
      expect(await call(operationId, { of, path: unknown, bearer: writing })).toBe(404);
    }
    const tired = await givenPersonalKey(database, TIRED_LISTING, 'write');
    await givenUsedUpLimit(database, `session:person:${TIRED_LISTING}`);
    for (const operationId of BY_PERSONAL_KEY) expect(await call(operationId, { of, path, bearer: tired })).toBe(429);
    await client.query('update organization set installation_id = null where github_id = 3001');
  });
}

export async function callToolsWithoutDatabase(call: CallOperation, of: BuiltService): Promise<void> {
  const bearer = keySecret('sgp', randomBytes(SECRET_BYTES));
  for (const operationId of [...ALL, ...BY_PERSONAL_KEY]) {
    expect(await call(operationId, { of, bearer, path: { id: randomUUID() } })).toBe(503);
  }
}
