import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, type ModulesContainer, Reflector } from '@nestjs/core';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import type { ComponentsObject, OpenAPIObject, OperationObject, SecurityRequirementObject } from '@nestjs/swagger';
import { type AccessRule, getAccessRule, type AccessLevel } from '../../../auth/access.decorators.js';
import type { BodyType } from '../../../http/body/body-parser.js';
import { ErrorResponses, ExampleBody, type RouteErrors } from '../../../http/openapi.decorators.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { RATE_LIMITS, type RateLimitName, type RateLimitPolicy } from '../../../http/rate-limit/rate-limits.js';

/** What a route's decorators promise of it. */
export interface RouteContract {
  /** Null where the route declares none, and so answers nobody. */
  readonly rule: AccessRule | null;
  readonly rateLimit: RateLimitPolicy | null;
  /** How a body is read where the method may carry one; null where it is not read. */
  readonly body: BodyType | null;
  readonly answers: RouteErrors;
  /** A believable body; null where the schema's own examples make one. */
  readonly example: object | null;
}

type Controller = { readonly name: string; readonly prototype: object };

/** The name under which the document and its readers know a route: `GateController.check` is `gateCheck`. */
export function buildOperationId(controller: string, handler: string): string {
  const noun = controller.replace(/Controller$/, '');
  return `${noun.charAt(0).toLowerCase()}${noun.slice(1)}${handler.charAt(0).toUpperCase()}${handler.slice(1)}`;
}

/** The contract of every route of the app, by operation id; two routes of one id end the start. */
export function readContracts(modules: ModulesContainer): ReadonlyMap<string, RouteContract> {
  const controllers = new Set(
    [...modules.values()].flatMap((module) =>
      [...module.controllers.values()].map(({ metatype }) => metatype as unknown as Controller),
    ),
  );
  const contracts = new Map<string, RouteContract>();
  for (const controller of controllers) {
    for (const name of new MetadataScanner().getAllMethodNames(controller.prototype)) {
      const contract = contractOf(controller, (controller.prototype as Record<string, unknown>)[name]);
      if (contract === null) continue;
      const id = buildOperationId(controller.name, name);
      if (contracts.has(id)) throw new TypeError(`Two routes have the operation id ${id}.`);
      contracts.set(id, contract);
    }
  }
  return contracts;
}

function contractOf(controller: Controller, handler: unknown): RouteContract | null {
  if (typeof handler !== 'function') return null;
  const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
  if (method === undefined) return null;
  const reflector = new Reflector();
  // A limit may stand on the controller, as the guard that enforces it allows.
  const limit = reflector.getAllAndOverride(RateLimited, [handler, controller as never]);
  return {
    rule: getAccessRule(handler),
    rateLimit: limit === undefined ? null : RATE_LIMITS[limit],
    body: WITHOUT_BODY.has(method) ? null : bodyKindOf(handler),
    answers: reflector.get(ErrorResponses, handler) ?? {},
    example: reflector.get(ExampleBody, handler) ?? null,
  };
}

/** Methods whose body nothing reads. */
const WITHOUT_BODY: ReadonlySet<RequestMethod> = new Set([
  RequestMethod.GET,
  RequestMethod.HEAD,
  RequestMethod.OPTIONS,
]);

const bodyKindOf = (handler: object): BodyType =>
  (Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler) as { readonly body?: BodyType } | undefined)?.body ??
  'json';

/** Who may call a route, for machines in the rule's own terms and for people in a sentence. */
export interface AccessDescription {
  readonly kind: 'public' | 'session' | 'ci' | 'personal_key' | 'nobody';
  readonly role?: string;
  readonly scope?: string;
  readonly summary: string;
}

/** How often a route may be called, and who is counted. */
export interface RateLimitDescription {
  readonly name: string;
  readonly limit: number;
  readonly windowSeconds: number;
  readonly per: string;
}

/** An operation of the document with what OpenAPI has no word for. */
export interface DescribedOperation extends OperationObject {
  readonly operationId: string;
  readonly 'x-access': AccessDescription;
  readonly 'x-rate-limit'?: RateLimitDescription;
}

export interface PlacedOperation {
  /** In capitals. */
  readonly method: string;
  readonly path: string;
  readonly operation: DescribedOperation;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Every operation of a described document, in the order of its paths. */
export const listOperations = ({ paths }: OpenAPIObject): readonly PlacedOperation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method] as DescribedOperation | undefined;
      return operation ? [{ method: method.toUpperCase(), path, operation }] : [];
    }),
  );

/** The credentials that the service knows, as components of the document. */
export const SECURITY_SCHEMES: NonNullable<ComponentsObject['securitySchemes']> = {
  identityToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      "Checked as RFC8725 asks. The identity token of a GitHub Actions run, asked for with the service's audience (`shipgate` unless configured). The workspace is the one of the organization that owns the run's repository.",
  },
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'sgk_<secret>',
    description:
      'An API key of the workspace, for CI systems that have no identity tokens. It has scopes, and may be confined to some repositories.',
  },
  personalKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'sgp_<secret>',
    description:
      "A member's own key for their tools, which see and do what the member may: with the scope `read` they look, with `write` they also change. It lasts 30 days.",
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'connect.sid',
    description: 'The session of a person who signed in with GitHub and selected a workspace.',
  },
  metricsToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'The bearer that the operator of the service set as `METRICS_TOKEN`.',
  },
};

const SENTENCE_OF_ROLE: Readonly<Record<AccessLevel, string>> = {
  user: 'Anybody who is signed in.',
  member: 'A signed-in member of the workspace.',
  admin: 'A signed-in admin of the workspace.',
  platform_admin: 'A signed-in platform admin.',
};

/**
 * Who may call a route, in the rule's own terms and as a sentence. A public route that names a credential all the same
 * checks it by itself.
 */
export function describeAccess(rule: AccessRule | null, named: SecurityRequirementObject[] = []): AccessDescription {
  if (rule === null) return { kind: 'nobody', summary: 'Nobody.' };
  if (rule.kind === 'session') return { kind: 'session', role: rule.role, summary: SENTENCE_OF_ROLE[rule.role] };
  if (rule.kind === 'ci') {
    const { scope } = rule;
    return { kind: 'ci', scope, summary: `A CI run's identity token, or an API key with the scope \`${scope}\`.` };
  }
  if (rule.kind === 'personal_key') {
    const { scope } = rule;
    return { kind: 'personal_key', scope, summary: `A member's personal key with the scope \`${scope}\`.` };
  }
  const [credential] = named.flatMap((requirement) => Object.keys(requirement));
  return { kind: 'public', summary: credential === undefined ? 'Anybody.' : `Who holds the \`${credential}\`.` };
}

/** Any one of these opens the route; none is needed where the list is empty. */
export function securityRequirements(rule: AccessRule | null): SecurityRequirementObject[] {
  if (rule?.kind === 'ci') return [{ identityToken: [] }, { apiKey: [] }];
  if (rule?.kind === 'personal_key') return [{ personalKey: [] }];
  return rule?.kind === 'session' ? [{ session: [] }] : [];
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

/** A limit with whom it counts. */
export const describeRateLimit = ({ name, limit, windowSeconds }: RateLimitPolicy): RateLimitDescription => ({
  name,
  limit,
  windowSeconds,
  per: COUNTED[name as RateLimitName],
});
