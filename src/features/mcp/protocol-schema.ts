/** How the document of the interface shows the messages of the protocol, which has a schema of its own for all they hold. */

/** The protocol has no limit of its own: a body is never longer. */
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

/** A believable body: a call of a tool. */
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

/** The service's own word, or the protocol's. */
export const PROTOCOL_REFUSAL = {
  [JSON_BODY]: {
    schema: { oneOf: [{ $ref: '#/components/schemas/Failure' }, FAILURE] },
    example: { error: 'The body must be a message of JSON-RPC.' },
  },
};

export const PROTOCOL_FAILURE = { [JSON_BODY]: { schema: FAILURE, example: NO_SUCH_METHOD } };
