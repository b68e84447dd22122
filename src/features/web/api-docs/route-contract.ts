import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { RequestMethod } from '@nestjs/common';
import { MetadataScanner, type ModulesContainer, Reflector } from '@nestjs/core';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import { type AccessRule, accessRuleOf } from '../../../auth/access-rule.js';
import { Answers, type OwnAnswers } from '../../../http/answers.decorator.js';
import type { BodyKind } from '../../../http/body/body-kind.js';
import { ExampleBody } from '../../../http/example-body.decorator.js';
import { RateLimited } from '../../../http/rate-limit/rate-limited.decorator.js';
import { RATE_LIMITS, type RateLimitPolicy } from '../../../http/rate-limit/rate-limits.js';

/** What a route's decorators promise of it. */
export interface RouteContract {
  /** Null where the route declares none, and so answers nobody. */
  readonly rule: AccessRule | null;
  readonly rateLimit: RateLimitPolicy | null;
  /** How a body is read where the method may carry one; null where it is not read. */
  readonly body: BodyKind | null;
  readonly answers: OwnAnswers;
  /** A believable body; null where the schema's own examples make one. */
  readonly example: object | null;
}

type Controller = { readonly name: string; readonly prototype: object };

/** The name under which the document and its readers know a route: `GateController.check` is `gateCheck`. */
export function operationIdOf(controller: string, handler: string): string {
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
      const id = operationIdOf(controller.name, name);
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
    rule: accessRuleOf(handler),
    rateLimit: limit === undefined ? null : RATE_LIMITS[limit],
    body: WITHOUT_BODY.has(method) ? null : bodyKindOf(handler),
    answers: reflector.get(Answers, handler) ?? {},
    example: reflector.get(ExampleBody, handler) ?? null,
  };
}

/** Methods whose body nothing reads. */
const WITHOUT_BODY: ReadonlySet<RequestMethod> = new Set([
  RequestMethod.GET,
  RequestMethod.HEAD,
  RequestMethod.OPTIONS,
]);

const bodyKindOf = (handler: object): BodyKind =>
  (Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler) as { readonly body?: BodyKind } | undefined)?.body ??
  'json';
