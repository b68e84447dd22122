import { describe, expect, it } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import type { FastifyRequest } from 'fastify';
import { CurrentCaller, CurrentCredential } from './access.decorators.js';
import { type CiCaller, type UnresolvedCredential, setCaller, setCredential } from './caller.js';

const caller = { kind: 'api_key', keyId: 'k1' } as CiCaller;
const credential = { kind: 'api_key' } as UnresolvedCredential;

class Routes {
  caller(@CurrentCaller() _caller: CiCaller): void {}

  credential(@CurrentCredential() _credential: UnresolvedCredential): void {}
}

type Parameters = Readonly<Record<string, { factory(data: unknown, context: ExecutionContext): unknown }>>;

/** Returns the parameter that Nest passes to the route for this request. */
function argumentOf(route: keyof Routes, request: FastifyRequest): unknown {
  const [parameter] = Object.values(Reflect.getMetadata(ROUTE_ARGS_METADATA, Routes, route) as Parameters);
  return parameter?.factory(undefined, {
    switchToHttp: () => ({ getRequest: () => request }),
  } as unknown as ExecutionContext);
}

describe('the caller that a handler receives', () => {
  it('is the caller that the guard authorized', () => {
    const request = {} as FastifyRequest;
    setCaller(request, caller);
    expect(argumentOf('caller', request)).toBe(caller);
    expect(() => argumentOf('credential', request)).toThrow(
      new TypeError('The guard resolves the tenant of this route. Use CurrentCaller.'),
    );
  });

  it('is the unresolved credential if the handler resolves the tenant', () => {
    const request = {} as FastifyRequest;
    setCredential(request, credential);
    expect(argumentOf('credential', request)).toBe(credential);
    expect(() => argumentOf('caller', request)).toThrow(
      new TypeError('This route has no caller, because its access rule allows everyone.'),
    );
  });
});
