import type { RawAnswer } from './tools-client.js';

export const ping = (id: number): object => ({ jsonrpc: '2.0', id, method: 'ping' });

/** A tool call in the form of the revisions with a handshake. */
export const call = (name: unknown, args: unknown = {}, id: number | string = 1): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

/** The part of a response that the tests read. */
export interface ToolMessage {
  readonly id?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: object };
  readonly result?: Readonly<Record<string, unknown>>;
}

export const messageIn = ({ text }: RawAnswer): ToolMessage => JSON.parse(text) as ToolMessage;
