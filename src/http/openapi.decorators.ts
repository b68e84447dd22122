import { Reflector } from '@nestjs/core';

/** The errors that are specific to a route: one sentence per status. */
export type RouteErrors = Readonly<Record<number, string>>;

/**
 * Declares the errors that are specific to a route. Errors of the access rule, the rate limit, the method and the body
 * are documented automatically. If a status is in both, both sentences are shown.
 */
export const ErrorResponses = Reflector.createDecorator<RouteErrors>();

/** Sets the example body of a route. Use it if the examples of the schema's members do not form a realistic body. */
export const ExampleBody = Reflector.createDecorator<object>();
