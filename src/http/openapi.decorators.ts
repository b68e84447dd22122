import { Reflector } from '@nestjs/core';

/** When a route fails in a way of its own: by status, one sentence. */
export type RouteErrors = Readonly<Record<number, string>>;

/**
 * Declares the failures that are a route's own. What follows from its access rule, its rate limit, its method and the
 * body that it takes is documented without being declared; a status in both says both.
 */
export const ErrorResponses = Reflector.createDecorator<RouteErrors>();

/** Shows a body that the route takes, where the examples of its schema's members would not make a believable one. */
export const ExampleBody = Reflector.createDecorator<object>();
