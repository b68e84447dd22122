import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import type { KeyScope, PersonalKeyScope } from '../domain/keys/key-scope.js';
import { findCaller, findCredential } from './caller.js';

/**
 * Who a person has to be: anybody who is signed in, a member or an admin of the workspace, or a platform admin, who
 * needs none.
 */
export type AccessLevel = 'user' | 'member' | 'admin' | 'platform_admin';

/**
 * Who resolves the tenant of a CI credential: the guard, or the route's own statement. The second is for the deploy gate
 * alone, which answers credential, tenant and release in one round trip; its handler gets a `UnresolvedCredential`.
 */
type TenantResolution = 'guard' | 'handler';

/** Who may call a route. */
export type AccessRule =
  | { readonly kind: 'public' }
  | { readonly kind: 'session'; readonly role: AccessLevel }
  | { readonly kind: 'ci'; readonly scope: KeyScope; readonly tenantBy: TenantResolution }
  | { readonly kind: 'personal_key'; readonly scope: PersonalKeyScope };

const RuleOfRoute = Reflector.createDecorator<AccessRule>();

interface CiAuthOptions {
  readonly tenantBy?: TenantResolution;
}

/** Declares the rule of one route; a route with two rules is a mistake that ends the start. */
function declare(rule: AccessRule): MethodDecorator {
  return (target, property, descriptor) => {
    if (getAccessRule(descriptor.value) !== null) {
      throw new TypeError(`${target.constructor.name}.${String(property)} declares its access twice.`);
    }
    return RuleOfRoute(rule)(target, property, descriptor);
  };
}

/** Anybody may call it. */
export const Public = (): MethodDecorator => declare({ kind: 'public' });

/** A signed-in person of at least this role may call it. */
export const Requires = (role: AccessLevel): MethodDecorator => declare({ kind: 'session', role });

/** A CI run's identity token, or an API key with this scope, may call it. */
export const CiAuth = (scope: KeyScope, { tenantBy = 'guard' }: CiAuthOptions = {}): MethodDecorator =>
  declare({ kind: 'ci', scope, tenantBy });

/** The tools of a member with a personal key of this scope may call it, and see what the member would. */
export const PersonalKey = (scope: PersonalKeyScope): MethodDecorator => declare({ kind: 'personal_key', scope });

/** The rule that a route's handler declares; null where it declares none, and so may answer nobody. */
export const getAccessRule = (handler: unknown): AccessRule | null =>
  typeof handler === 'function'
    ? ((Reflect.getMetadata(RuleOfRoute.KEY, handler) as AccessRule | undefined) ?? null)
    : null;

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
