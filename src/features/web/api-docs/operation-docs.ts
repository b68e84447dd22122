import { maxHeaderSize } from 'node:http';
import { HttpStatus } from '@nestjs/common';
import type {
  OperationObject,
  ParameterObject,
  RequestBodyObject,
  ResponseObject,
  ResponsesObject,
} from '@nestjs/swagger';
import {
  describeAccess,
  type DescribedOperation,
  describeRateLimit,
  type RouteContract,
  securityRequirements,
} from './route-contract.js';
import { describeHeaders, routeErrorResponses, TAG_EXAMPLE } from './route-responses.js';

/** Completes a generated operation by the contract of its route. */
export function describeOperation(found: OperationObject, contract: RouteContract): DescribedOperation {
  const { rule, rateLimit, example } = contract;
  return {
    ...found,
    operationId: found.operationId ?? '',
    parameters: [
      ...(found.parameters ?? []),
      ...sessionParameters(contract),
      ...(contract.revalidated ? [IF_NONE_MATCH] : []),
    ],
    security: found.security ?? securityRequirements(rule),
    ...(found.requestBody && { requestBody: withExample(found.requestBody as RequestBodyObject, example) }),
    responses: { ...listSuccesses(found, contract), ...describedFailures(found, contract) },
    'x-access': describeAccess(rule, found.security),
    ...(rateLimit && { 'x-rate-limit': describeRateLimit(rateLimit) }),
  };
}

const NAMED_WORKSPACE = {
  required: false,
  description:
    'The login of the organization whose workspace the request is for, in any case. If the session works in another workspace, the answer is 409 and nothing changes.',
  schema: { type: 'string', minLength: 1, maxLength: 100 },
  example: 'acme',
} as const;

const BACKGROUND: ParameterObject = {
  name: 'X-Background',
  in: 'header',
  required: false,
  description: 'A read that a page makes by itself. It does not extend the idle time of the session.',
  schema: { type: 'string', enum: ['1'] },
  example: '1',
};

const IF_NONE_MATCH: ParameterObject = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description:
    'The `ETag` of a page that the client has. If the page is still the same, the answer is 304 without a body.',
  // Node rejects a request whose headers are longer.
  schema: { type: 'string', maxLength: maxHeaderSize },
  example: TAG_EXAMPLE,
};

/** The parameters that the guard reads on every route with a session. */
function sessionParameters({ rule, body }: RouteContract): readonly ParameterObject[] {
  if (rule?.kind !== 'session') return [];
  return [
    { name: 'X-Workspace', in: 'header', ...NAMED_WORKSPACE },
    ...(rule.workspaceInQuery === true ? [{ name: 'workspace', in: 'query', ...NAMED_WORKSPACE } as const] : []),
    ...(body === null ? [BACKGROUND] : []),
  ];
}

const NOT_MODIFIED: ResponseObject = { description: 'The page is still the one that `If-None-Match` names.' };

function listSuccesses({ responses }: OperationObject, contract: RouteContract): Record<string, ResponseObject> {
  const { rateLimit, rule, revalidated } = contract;
  const successes = revalidated ? { ...responses, [HttpStatus.NOT_MODIFIED]: NOT_MODIFIED } : responses;
  const shared = {
    ...describeHeaders('X-Request-Id'),
    ...(rule?.kind === 'session' && describeHeaders('X-Workspace')),
    ...(rateLimit && describeHeaders('RateLimit', 'RateLimit-Policy')),
    ...(revalidated && describeHeaders('ETag')),
  };
  return Object.fromEntries(
    Object.entries(successes as Record<string, ResponseObject>).map(([status, response]) => [
      status,
      { ...response, headers: { ...shared, ...response.headers } },
    ]),
  );
}

/** Describes the errors of a route. A route with its own protocol describes the body of its errors itself. */
function describedFailures({ responses }: OperationObject, contract: RouteContract): ResponsesObject {
  const described = Object.entries(routeErrorResponses(contract)).map(([status, failure]) => {
    const own = responses[status];
    const content = own && 'content' in own ? own.content : undefined;
    return [status, content ? { ...failure, content } : failure];
  });
  return Object.fromEntries(described) as ResponsesObject;
}

function withExample(body: RequestBodyObject, example: object | null): RequestBodyObject {
  if (example === null) return body;
  const content = Object.entries(body.content).map(([type, media]) => [type, { ...media, example }]);
  return { ...body, content: Object.fromEntries(content) as RequestBodyObject['content'] };
}
