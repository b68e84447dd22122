import type { RawAnswer } from './tools-client.js';

export const ping = (id: number): object => ({ jsonrpc: '2.0', id, method: 'ping' });

/** Calls a tool, as clients of the handshake do. */
export const call = (name: unknown, args: unknown = {}, id: number | string = 1): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

/** What an answer says, as far as tests look at it. */
export interface ToolMessage {
  readonly id?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: object };
  readonly result?: Readonly<Record<string, unknown>>;
}

export const messageIn = ({ text }: RawAnswer): ToolMessage => JSON.parse(text) as ToolMessage;
