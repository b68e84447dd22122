import { Reflector } from '@nestjs/core';
import { ApiParam } from '@nestjs/swagger';
import type { ErrorCode } from './errors/error-codes.js';

/** The errors that are specific to a route: one sentence per status. */
export type RouteErrors = Readonly<Record<number, string>>;

/**
 * Declares the errors that are specific to a route. Errors of the access rule, the rate limit, the method and the body
 * are documented automatically. If a status is in both, both sentences are shown.
 */
export const ErrorResponses = Reflector.createDecorator<RouteErrors>();

/** The values of `X-Error-Code` that are specific to a route, by status. */
export type RouteErrorCodes = Readonly<Record<number, readonly ErrorCode[]>>;

/** Declares the values of `X-Error-Code` on a route, except those of its access rule. */
export const ErrorCodes = Reflector.createDecorator<RouteErrorCodes>();

/** Sets the example body of a route. Use it if the examples of the schema's members do not form a realistic body. */
export const ExampleBody = Reflector.createDecorator<object>();

/** Documents a part of the path that is a UUID. */
export const IdParam = (of: string, name = 'id'): MethodDecorator =>
  ApiParam({ name, format: 'uuid', description: `The id of the ${of}.` });
