import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { McpServiceHarness } from '../../../test/support/mcp-service-harness.js';
import { DomainError } from '../../http/errors/domain-error.js';
import type { ProtocolAnswer } from './mcp.service.js';

describe('any request of a client', () => {
  const methods = fc.constantFrom(
    'initialize',
    'ping',
    'tools/list',
    'tools/call',
    'server/discover',
    'subscriptions/listen',
    'notifications/cancelled',
    'notifications/initialized',
    'logging/setLevel',
    'resources/read',
    'completion/complete',
  );
  const revisions = fc.constantFrom('2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28', '2031-01-01');
  const envelope = fc.record({
    'io.modelcontextprotocol/protocolVersion': fc.oneof(revisions, fc.jsonValue()),
    'io.modelcontextprotocol/clientInfo': fc.oneof(fc.constant({ name: 'a', version: '1' }), fc.jsonValue()),
    'io.modelcontextprotocol/clientCapabilities': fc.oneof(fc.constant({}), fc.jsonValue()),
  });
  const params = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        name: fc.oneof(fc.constantFrom('look', 'change', '__proto__'), fc.jsonValue()),
        arguments: fc.oneof(fc.constant({}), fc.jsonValue()),
        protocolVersion: revisions,
        notifications: fc.jsonValue(),
        _meta: fc.oneof(envelope, fc.jsonValue()),
      },
      { requiredKeys: [] },
    ),
  );
  const message = fc.record(
    {
      jsonrpc: fc.constantFrom('2.0', '2.0', '1.0'),
      id: fc.oneof(fc.integer(), fc.string(), fc.jsonValue()),
      method: fc.oneof(methods, fc.string()),
      params,
      result: fc.jsonValue(),
      error: fc.jsonValue(),
    },
    { requiredKeys: ['jsonrpc'] },
  );
  const headers = fc.record(
    {
      'mcp-protocol-version': fc.oneof(revisions, fc.string()).filter((text) => /^[\x20-\x7e]*$/.test(text)),
      'mcp-method': methods,
      'mcp-name': fc.constantFrom('look', 'change', 'nothing'),
    },
    { requiredKeys: [] },
  );

  it('is answered or rejected with a reason, and never fails', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(message, fc.array(message), fc.jsonValue()), headers, async (body, fields) => {
        const stage = new McpServiceHarness();
        const sent = JSON.parse(JSON.stringify(body)) as unknown;
        const answer = await stage.send(sent, 'write', fields).catch((error: unknown) => error);
        if (answer instanceof DomainError) return;
        const { status, body: text } = answer as ProtocolAnswer;
        expect([status < 500, stage.logged]).toEqual([true, []]);
        if (text === '') expect(status).toBe(202);
        else expect(typeof JSON.parse(text)).toBe('object');
      }),
      { numRuns: 300 },
    );
  });
});
