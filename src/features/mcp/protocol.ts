import { DomainError } from '../../http/errors/domain-error.js';

/** A message of the protocol. Only its type object is checked. */
export type ProtocolMessage = Readonly<Record<string, unknown>>;

/** The content of a body: one message or a batch. */
export interface ProtocolBody {
  readonly messages: readonly ProtocolMessage[];
  readonly isBatch: boolean;
}

/** The only revision with batches. Requests of that revision do not name it in a header. */
const LAST_REVISION_WITH_BATCHES = '2025-03-26';
/** The maximum number of messages in a batch. Each counts as a request, and they run one after the other. */
const MESSAGES_AT_MOST = 20;
/** The first code that JSON-RPC 2.0 ("Error object") reserves for servers. */
const SERVER_ERROR = -32000;

const isMessage = (value: unknown): value is ProtocolMessage =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads the messages of a body. Throws `invalid` if the revision does not allow the body. */
export function readProtocolBody(body: unknown, revision: string | undefined): ProtocolBody {
  if (isMessage(body)) return { messages: [body], isBatch: false };
  if (!Array.isArray(body)) throw new DomainError('invalid', 'The body must be a JSON-RPC message.');
  if (revision !== undefined && revision > LAST_REVISION_WITH_BATCHES) {
    throw new DomainError(
      'invalid',
      `The revision ${LAST_REVISION_WITH_BATCHES} is the last one with batches. Send one message.`,
    );
  }
  if (body.length === 0 || body.length > MESSAGES_AT_MOST) {
    throw new DomainError('invalid', `A batch must have 1 to ${MESSAGES_AT_MOST} messages.`);
  }
  const messages = body.filter(isMessage);
  // Revision 2025-03-26, "Lifecycle": the request to initialize must not be part of a batch.
  if (messages.length < body.length || messages.some(({ method }) => method === 'initialize')) {
    throw new DomainError('invalid', 'A batch must contain JSON-RPC messages without initialize.');
  }
  return { messages, isBatch: true };
}

/** Returns the name of the tool that the message calls, or null. */
export function calledToolName({ method, params }: ProtocolMessage): string | null {
  if (method !== 'tools/call' || !isMessage(params)) return null;
  return typeof params['name'] === 'string' ? params['name'] : null;
}

/** Returns the response to a message of a batch that was not started in time; empty for a notification. */
export function notProcessedError({ id, method }: ProtocolMessage): string {
  if (id === undefined || typeof method !== 'string') return '';
  return JSON.stringify({
    jsonrpc: '2.0',
    id: typeof id === 'string' || typeof id === 'number' ? id : null,
    error: {
      code: SERVER_ERROR,
      message: 'The batch took too long, and this message was not executed. Send it again.',
    },
  });
}

// The following schemas describe the messages in the API description. The protocol has its own schema for their content.

/** The maximum length of a body. The protocol itself has no limit. */
const MAX_LENGTH = 262_144;

const ID = {
  oneOf: [
    { type: 'string', maxLength: MAX_LENGTH },
    { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  ],
};
const JSON_RPC = { type: 'string', enum: ['2.0'] };

const MESSAGE = {
  type: 'object',
  description: 'A request, or without an id a notification.',
  properties: {
    jsonrpc: JSON_RPC,
    id: ID,
    method: { type: 'string', maxLength: MAX_LENGTH },
    params: { type: 'object', additionalProperties: true },
  },
  required: ['jsonrpc', 'method'],
};

const RESULT = {
  type: 'object',
  properties: { jsonrpc: JSON_RPC, id: ID, result: { type: 'object', additionalProperties: true } },
  required: ['jsonrpc', 'id', 'result'],
};

const FAILURE = {
  type: 'object',
  properties: {
    jsonrpc: JSON_RPC,
    id: { oneOf: [...ID.oneOf, { type: 'null' }] },
    error: {
      type: 'object',
      properties: { code: { type: 'integer' }, message: { type: 'string' }, data: {} },
      required: ['code', 'message'],
    },
  },
  required: ['jsonrpc', 'error'],
};

const ONE_ANSWER = { oneOf: [RESULT, FAILURE] };
const NO_SUCH_METHOD = { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } };
const JSON_BODY = 'application/json';

export const PROTOCOL_BODY = {
  description: 'One message; in the revision 2025-03-26 also several.',
  oneOf: [MESSAGE, { type: 'array', items: MESSAGE, minItems: 1, maxItems: 20 }],
};

/** An example of a body: a call of a tool. */
export const TOOL_CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'explain_gate', arguments: { repo: 'acme/payments', version: 'v1.4.0' } },
};

export const PROTOCOL_ANSWER = {
  [JSON_BODY]: {
    schema: { oneOf: [...ONE_ANSWER.oneOf, { type: 'array', items: ONE_ANSWER }] },
    example: { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: '{"can_deploy":false}' }] } },
  },
};

/** The error body of the service, or an error of the protocol. */
export const PROTOCOL_REJECTION = {
  [JSON_BODY]: {
    schema: { oneOf: [{ $ref: '#/components/schemas/Failure' }, FAILURE] },
    example: { error: 'The body must be a JSON-RPC message.' },
  },
};

export const PROTOCOL_FAILURE = { [JSON_BODY]: { schema: FAILURE, example: NO_SUCH_METHOD } };
