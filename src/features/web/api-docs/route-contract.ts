import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, type ModulesContainer, Reflector } from '@nestjs/core';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import type { ComponentsObject, OpenAPIObject, OperationObject, SecurityRequirementObject } from '@nestjs/swagger';
import type { FastifyContextConfig } from 'fastify';
import { type AccessRule, getAccessRule, type AccessLevel, type SessionRule } from '../../../auth/access.decorators.js';
import type { PersonalKeyScope, RequiredScope } from '../../../domain/keys/key-scope.js';
import type { BodyType } from '../../../http/body/body-parser.js';
import {
  ErrorCodes,
  ErrorResponses,
  ExampleBody,
  type RouteErrorCodes,
  type RouteErrors,
} from '../../../http/openapi.decorators.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { RATE_LIMITS, type RateLimitName, type RateLimitPolicy } from '../../../http/rate-limit/rate-limits.js';

/** The contract of a route, from its decorators. */
export interface RouteContract {
  /** Null if the route declares no rule and is closed. */
  readonly rule: AccessRule | null;
  readonly rateLimit: RateLimitPolicy | null;
  /** How the body is read; null if the method has none. */
  readonly body: BodyType | null;
  /** Whether a response that the client has already is 304. */
  readonly revalidated: boolean;
  readonly answers: RouteErrors;
  readonly errorCodes: RouteErrorCodes;
  /** A realistic example of the body; null if the examples of the schema suffice. */
  readonly example: object | null;
}

type Controller = { readonly name: string; readonly prototype: object };

/**
 * Reads the contract of every route, by its operation id: the name of its handler, such as `checkGate`, because generated clients
 * name their methods by it. Throws a TypeError if two routes have the same id.
 */
export function readContracts(modules: ModulesContainer): ReadonlyMap<string, RouteContract> {
  const controllers = new Set(
    [...modules.values()].flatMap((module) =>
      [...module.controllers.values()].map(({ metatype }) => metatype as unknown as Controller),
    ),
  );
  const contracts = new Map<string, RouteContract>();
  for (const controller of controllers) {
    for (const name of new MetadataScanner().getAllMethodNames(controller.prototype)) {
      const contract = getContract(controller, (controller.prototype as Record<string, unknown>)[name]);
      if (contract === null) continue;
      if (contracts.has(name)) throw new TypeError(`Two routes have the operation id ${name}.`);
      contracts.set(name, contract);
    }
  }
  return contracts;
}

function getContract(controller: Controller, handler: unknown): RouteContract | null {
  if (typeof handler !== 'function') return null;
  const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
  if (method === undefined) return null;
  const reflector = new Reflector();
  // The limit may be declared on the controller, as for the guard.
  const limit = reflector.getAllAndOverride(RateLimited, [handler, controller as never]);
  return {
    rule: getAccessRule(handler),
    rateLimit: limit === undefined ? null : RATE_LIMITS[limit],
    body: WITHOUT_BODY.has(method) ? null : (getConfig(handler).body ?? 'json'),
    revalidated: getConfig(handler).revalidated === true,
    answers: reflector.get(ErrorResponses, handler) ?? {},
    errorCodes: reflector.get(ErrorCodes, handler) ?? {},
    example: reflector.get(ExampleBody, handler) ?? null,
  };
}

/** Methods without a body. */
const WITHOUT_BODY: ReadonlySet<RequestMethod> = new Set([
  RequestMethod.GET,
  RequestMethod.HEAD,
  RequestMethod.OPTIONS,
]);

const getConfig = (handler: object): Pick<FastifyContextConfig, 'body' | 'revalidated'> =>
  (Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler) as FastifyContextConfig | undefined) ?? {};

/** Who can call a route, as values for programs and as a sentence. */
export interface AccessDescription {
  readonly kind: 'public' | 'session' | 'ci' | 'personal_key' | 'none';
  readonly role?: string;
  readonly scope?: string;
  /** The scope of the personal keys that may call a route for sessions, too. */
  readonly personalKey?: string;
  /** The scope of the CI credentials that may call a route for sessions, too. */
  readonly ci?: string;
  readonly summary: string;
}

/** The rate limit of a route, and by what requests are counted. */
export interface RateLimitDescription {
  readonly name: string;
  readonly limit: number;
  readonly windowSeconds: number;
  readonly per: string;
}

/** An operation with the extensions of this service. */
export interface DescribedOperation extends OperationObject {
  readonly operationId: string;
  readonly 'x-access': AccessDescription;
  readonly 'x-rate-limit'?: RateLimitDescription;
}

export interface PlacedOperation {
  /** In upper case. */
  readonly method: string;
  readonly path: string;
  readonly operation: DescribedOperation;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Lists every operation of the document, in the order of its paths. */
export const listOperations = ({ paths }: OpenAPIObject): readonly PlacedOperation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method] as DescribedOperation | undefined;
      return operation ? [{ method: method.toUpperCase(), path, operation }] : [];
    }),
  );

/** The credentials of the service, as components of the document. */
export const SECURITY_SCHEMES: NonNullable<ComponentsObject['securitySchemes']> = {
  identityToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      "The identity token of a GitHub Actions run, requested with the service's audience (`shipgate` by default). It is checked as RFC8725 requires. The workspace is that of the organization that owns the repository of the run.",
  },
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'sgk_<secret>',
    description:
      'An API key of the workspace, for CI systems without identity tokens. It has scopes and can be limited to some repositories.',
  },
  personalKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'sgp_<secret>',
    description:
      'A personal key of a member for their tools. The tools have the permissions of the member: the scope `read` allows reading, `write` also changes. It expires after 30 days.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'connect.sid',
    description: 'The session of a user who signed in with GitHub and selected a workspace.',
  },
  metricsToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token that the operator of the service has set as `METRICS_TOKEN`.',
  },
};

const SENTENCE_OF_ROLE: Readonly<Record<AccessLevel, string>> = {
  user: 'Any signed-in user.',
  member: 'A signed-in member of the workspace.',
  auditor: 'A signed-in auditor or admin of the workspace.',
  admin: 'A signed-in admin of the workspace.',
  platform_admin: 'A signed-in platform admin.',
};

/** Describes who can call a route. A public route that names a credential checks it by itself. */
export function describeAccess(rule: AccessRule | null, named: SecurityRequirementObject[] = []): AccessDescription {
  if (rule === null) return { kind: 'none', summary: 'No caller.' };
  if (rule.kind === 'session') return describeSession(rule);
  if (rule.kind === 'ci') {
    const { scope } = rule;
    return { kind: 'ci', scope, summary: `${ciWith(scope)}.` };
  }
  if (rule.kind === 'personal_key') {
    const { scope } = rule;
    return { kind: 'personal_key', scope, summary: `${personalKeyWith(scope)}.` };
  }
  const [credential] = named.flatMap((requirement) => Object.keys(requirement));
  return {
    kind: 'public',
    summary: credential === undefined ? 'Any caller.' : `Any caller with the \`${credential}\`.`,
  };
}

const personalKeyWith = (scope: PersonalKeyScope): string => `A member's personal key with the scope \`${scope}\``;

const ciWith = (scope: RequiredScope): string =>
  `A CI run's identity token, or ${scope === 'any' ? 'any API key' : `an API key with the scope \`${scope}\``}`;

function describeSession({ role, personalKey, ci }: SessionRule): AccessDescription {
  const others = [
    ...(personalKey === undefined ? [] : [personalKeyWith(personalKey)]),
    ...(ci === undefined ? [] : [ciWith(ci)]),
  ];
  return {
    kind: 'session',
    role,
    ...(personalKey !== undefined && { personalKey }),
    ...(ci !== undefined && { ci }),
    summary: [SENTENCE_OF_ROLE[role], ...others.map((other) => `Or: ${other}.`)].join(' '),
  };
}

/** Lists the alternative credentials of a route. An empty list means that none is needed. */
export function securityRequirements(rule: AccessRule | null): SecurityRequirementObject[] {
  if (rule?.kind === 'ci') return [{ identityToken: [] }, { apiKey: [] }];
  if (rule?.kind === 'personal_key') return [{ personalKey: [] }];
  if (rule?.kind !== 'session') return [];
  return [
    { session: [] },
    ...(rule.personalKey === undefined ? [] : [{ personalKey: [] }]),
    ...(rule.ci === undefined ? [] : [{ identityToken: [] }, { apiKey: [] }]),
  ];
}

const COUNTED: Readonly<Record<RateLimitName, string>> = {
  auth: 'client address',
  public: 'client address',
  'page-files': 'client address',
  session: 'user',
  upload: 'repository',
  gate: 'repository',
  key: 'API key',
};

/** Describes a rate limit. */
export const describeRateLimit = ({ name, limit, windowSeconds }: RateLimitPolicy): RateLimitDescription => ({
  name,
  limit,
  windowSeconds,
  per: COUNTED[name as RateLimitName],
});
