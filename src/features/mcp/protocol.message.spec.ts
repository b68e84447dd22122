import { describe, expect, it } from '@jest/globals';
import { DomainError } from '../../http/errors/domain-error.js';
import { readProtocolBody, calledToolName } from './protocol.js';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const many = (count: number): object[] => Array.from({ length: count }, () => PING);

describe('a body', () => {
  it.each<[string, unknown, string | undefined, number]>([
    ['one message', PING, undefined, 1],
    ['one message of any revision', PING, '2026-07-28', 1],
    ['an object that may be no message', {}, undefined, 1],
    ['a batch', [PING, PING], undefined, 2],
    ['a batch of the last revision with batches', [PING], '2025-03-26', 1],
    ['a full batch', many(20), undefined, 20],
  ])('may be %s', (_, body, revision, count) => {
    const { messages, isBatch } = readProtocolBody(body, revision);
    expect([messages.length, isBatch]).toEqual([count, Array.isArray(body)]);
  });

  it.each<[string, unknown, string | undefined]>([
    ['absent', undefined, undefined],
    ['null', null, undefined],
    ['a text', 'ping', undefined],
    ['a number', 1, undefined],
    ['an empty batch', [], undefined],
    ['a batch that is too long', many(21), undefined],
    ['a batch with a value that is no message', [PING, 1], undefined],
    ['a batch of a batch', [[PING]], undefined],
    ['a batch that initializes', [PING, { ...PING, method: 'initialize' }], undefined],
    ['a batch of the first revision without batches', [PING], '2025-06-18'],
    ['a batch of a future revision', [PING], '2031-01-01'],
  ])('may not be %s', (_, body, revision) => {
    expect(() => readProtocolBody(body, revision)).toThrow(DomainError);
  });
});

describe('the tool that a message calls', () => {
  it.each<[object, string | null]>([
    [{ method: 'tools/call', params: { name: 'sync' } }, 'sync'],
    [{ method: 'tools/call', params: { name: 7 } }, null],
    [{ method: 'tools/call', params: ['sync'] }, null],
    [{ method: 'tools/call' }, null],
    [{ method: 'tools/list', params: { name: 'sync' } }, null],
    [{}, null],
  ])('of %j is %j', (message, name) => {
    expect(calledToolName(message as Readonly<Record<string, unknown>>)).toBe(name);
  });
});
