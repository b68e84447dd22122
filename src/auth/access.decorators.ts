import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import type { PersonalKeyScope, RequiredScope } from '../domain/keys/key-scope.js';
import { findCaller, findCredential } from './caller.js';

/**
 * The required user: any signed-in user, a member, an auditor or an admin of the selected workspace, or a platform admin. An admin has
 * the rights of an auditor.
 */
export type AccessLevel = 'user' | 'member' | 'auditor' | 'admin' | 'platform_admin';

/**
 * Where the tenant of a CI credential is resolved: in the guard, or in the route's own statement. Only the deploy gate uses the
 * second, to read credential, tenant and release in one round trip. Its handler gets an `UnresolvedCredential`.
 */
type TenantResolution = 'guard' | 'handler';

interface SessionOptions {
  /** Whether `?workspace=` counts like `X-Workspace`, because browsers send this request without headers of the page. */
  readonly workspaceInQuery?: boolean;
  /** The scope of the personal keys that may call the route, too. Without it the route accepts sessions only. */
  readonly personalKey?: PersonalKeyScope;
  /** The scope of the CI credentials that may call the route, too. */
  readonly ci?: RequiredScope;
}

/** The allowed callers of a route. */
export type AccessRule =
  | { readonly kind: 'public' }
  | ({ readonly kind: 'session'; readonly role: AccessLevel } & SessionOptions)
  | { readonly kind: 'ci'; readonly scope: RequiredScope; readonly tenantBy: TenantResolution }
  | { readonly kind: 'personal_key'; readonly scope: PersonalKeyScope };

export type SessionRule = Extract<AccessRule, { kind: 'session' }>;

const RouteRule = Reflector.createDecorator<AccessRule>();

interface CiAuthOptions {
  readonly tenantBy?: TenantResolution;
}

/** Declares the rule of one route. Throws at the start if a route has two rules. */
function declareRule(rule: AccessRule): MethodDecorator {
  return (target, property, descriptor) => {
    if (getAccessRule(descriptor.value) !== null) {
      throw new TypeError(`${target.constructor.name}.${String(property)} declares its access twice.`);
    }
    return RouteRule(rule)(target, property, descriptor);
  };
}

/** Allows every caller. */
export const Public = (): MethodDecorator => declareRule({ kind: 'public' });

/** Allows signed-in users with at least this access level, and the personal keys of members and CI credentials if the options name a scope. */
export const Requires = (role: AccessLevel, options: SessionOptions = {}): MethodDecorator =>
  declareRule({ kind: 'session', role, ...options });

/** Allows identity tokens of CI runs, and API keys with this scope. */
export const CiAuth = (scope: RequiredScope, { tenantBy = 'guard' }: CiAuthOptions = {}): MethodDecorator =>
  declareRule({ kind: 'ci', scope, tenantBy });

/** Allows only personal keys with this scope. The caller acts in the name of the member. */
export const PersonalKey = (scope: PersonalKeyScope): MethodDecorator => declareRule({ kind: 'personal_key', scope });

/** Returns the rule of a route's handler. Null if it declares none; such a route rejects every caller. */
export const getAccessRule = (handler: unknown): AccessRule | null =>
  typeof handler === 'function'
    ? ((Reflect.getMetadata(RouteRule.KEY, handler) as AccessRule | undefined) ?? null)
    : null;

/** The caller that the guard authorized. Throws on a route without a caller, such as a public one. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const caller = findCaller(context.switchToHttp().getRequest<FastifyRequest>());
  if (caller === null) throw new TypeError('This route has no caller, because its access rule allows everyone.');
  return caller;
});

/** The credential whose tenant the handler resolves. Throws on a route that does not declare this. */
export const CurrentCredential = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const credential = findCredential(context.switchToHttp().getRequest<FastifyRequest>());
  if (credential === null) throw new TypeError('The guard resolves the tenant of this route. Use CurrentCaller.');
  return credential;
});
