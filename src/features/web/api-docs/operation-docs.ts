import type { OperationObject, RequestBodyObject, ResponseObject, ResponsesObject } from '@nestjs/swagger';
import {
  describeAccess,
  type DescribedOperation,
  describeRateLimit,
  type RouteContract,
  securityRequirements,
} from './route-contract.js';
import { routeErrorResponses, describeHeaders } from './route-responses.js';

/** Completes a generated operation by the contract of its route. */
export function describeOperation(found: OperationObject, contract: RouteContract): DescribedOperation {
  const { rule, rateLimit, example } = contract;
  return {
    ...found,
    operationId: found.operationId ?? '',
    security: found.security ?? securityRequirements(rule),
    ...(found.requestBody && { requestBody: withExample(found.requestBody as RequestBodyObject, example) }),
    responses: { ...successesOf(found, contract), ...describedFailures(found, contract) },
    'x-access': describeAccess(rule, found.security),
    ...(rateLimit && { 'x-rate-limit': describeRateLimit(rateLimit) }),
  };
}

function successesOf({ responses }: OperationObject, { rateLimit }: RouteContract): Record<string, ResponseObject> {
  const shared = {
    ...describeHeaders('X-Request-Id'),
    ...(rateLimit && describeHeaders('RateLimit', 'RateLimit-Policy')),
  };
  return Object.fromEntries(
    Object.entries(responses as Record<string, ResponseObject>).map(([status, response]) => [
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
