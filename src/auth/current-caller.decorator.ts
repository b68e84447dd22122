import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { findCaller, findCredential } from './caller.js';

/** The caller that the guard let in; a route that has none, as a public one, may not ask. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const caller = findCaller(context.switchToHttp().getRequest<FastifyRequest>());
  if (caller === null) throw new TypeError('This route has no caller: its access rule lets anybody in.');
  return caller;
});

/** The credential whose tenant the handler resolves itself, on a route that declares so. */
export const CurrentCredential = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const credential = findCredential(context.switchToHttp().getRequest<FastifyRequest>());
  if (credential === null) throw new TypeError("This route's tenant is resolved by the guard: ask for the caller.");
  return credential;
});
