import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { keySecret, SECRET_BYTES } from '../../src/domain/keys/key-secret.js';
import type { TestDatabase } from '../support/database.js';
import type { BuiltService } from './built-service.js';
import type { Call, CallOperation } from './contract-call.js';
import { givenPersonalKey } from './given-personal-key.js';
import { givenUsedUpLimit } from './given-used-up-limit.js';

const NUL = { x: '\u0000' };
const DEEP = `${'['.repeat(70)}${']'.repeat(70)}`;
const READER = 4801;
const TIRED = 4802;
/** Where no stream is and no session ends. */
const NOT_THERE = ['mcpStream', 'mcpEnd'] as const;
const ALL = ['mcpAnswer', ...NOT_THERE] as const;

const message = (method: string, params: object = {}): object => ({ jsonrpc: '2.0', id: 1, method, params });
const callOf = (name: string, args: object): object => message('tools/call', { name, arguments: args });
/** As the revision without a handshake wants it. */
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

/** Every answer of the remote tools. */
export async function callTools(call: CallOperation, of: BuiltService, database: TestDatabase): Promise<void> {
  const tools: Call = { of, bearer: await givenPersonalKey(database, READER, 'read') };
  await withDedicatedClient(database.superuserUrl, async (client) => {
    await client.query('update organization set installation_id = 987654321 where github_id = 3001');
    await callMessages(call, tools);
    await callAnyMethod(call, of, tools);
    const tired: Call = { of, bearer: await givenPersonalKey(database, TIRED, 'read') };
    await givenUsedUpLimit(database, `session:person:${TIRED}`);
    for (const operationId of ALL) expect(await call(operationId, tired)).toBe(429);
    await client.query('update organization set installation_id = null where github_id = 3001');
  });
  // Without the app the key is worth nothing.
  expect(await call('mcpAnswer', { ...tools, body: message('ping') })).toBe(401);
}

async function callMessages(call: CallOperation, tools: Call): Promise<void> {
  const answer = (request: Call): Promise<number> => call('mcpAnswer', { ...tools, ...request });
  expect(await answer({ body: message('tools/list') })).toBe(200);
  expect(await answer({ body: callOf('list_releases', {}) })).toBe(200);
  expect(await answer({ body: callOf('explain_gate', {}) })).toBe(200);
  expect(await answer({ body: callOf('quality', { repo: 'nothing' }) })).toBe(200);
  expect(await answer({ body: [message('ping'), message('nothing')] })).toBe(200);
  expect(await answer({ body: { jsonrpc: '2.0', method: 'notifications/initialized' } })).toBe(202);
  expect(await answer({ body: [] })).toBe(400);
  // In the words of the protocol.
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
  expect(await call('mcpEnd', { ...tools, body: DEEP })).toBe(413);
  expect(await call('mcpEnd', { ...tools, body: '<a/>', headers: { 'content-type': 'application/xml' } })).toBe(415);
}

/** While the database cannot be reached. */
export async function callToolsWithoutDatabase(call: CallOperation, of: BuiltService): Promise<void> {
  const bearer = keySecret('sgp', randomBytes(SECRET_BYTES));
  for (const operationId of ALL) expect(await call(operationId, { of, bearer })).toBe(503);
}
