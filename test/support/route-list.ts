import { type INestApplicationContext, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import { type AccessRule, getAccessRule } from '../../src/auth/access.decorators.js';

/** A route of a controller. */
export interface ListedRoute {
  /** `GET`, `POST`, …, or `ALL` for every method. */
  readonly method: string;
  readonly path: string;
  /** Class and method, such as `EvidenceUploadController.upload`. */
  readonly handler: string;
  /** Null if the route declares none. Such a route rejects every caller. */
  readonly rule: AccessRule | null;
}

/** Returns every route of the app with its access rule, ordered by path and method. */
export function listRoutes(app: INestApplicationContext): readonly ListedRoute[] {
  const controllers = [...app.get(ModulesContainer).values()].flatMap((module) =>
    [...module.controllers.values()].map(
      ({ metatype }) => metatype as { readonly name: string; readonly prototype: object },
    ),
  );
  return controllers
    .flatMap(listControllerRoutes)
    .sort((a, b) => a.path.localeCompare(b.path) || a.method.localeCompare(b.method));
}

function listControllerRoutes(controller: { readonly name: string; readonly prototype: object }): ListedRoute[] {
  return new MetadataScanner().getAllMethodNames(controller.prototype).flatMap((name) => {
    const handler = (controller.prototype as Record<string, unknown>)[name] as object;
    const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
    if (method === undefined) return [];
    return readPaths(controller).flatMap((prefix) =>
      readPaths(handler).map((path) => ({
        method: RequestMethod[method],
        path: `/${[prefix, path]
          .flatMap((part) => part.split('/'))
          .filter(Boolean)
          .join('/')}`,
        handler: `${controller.name}.${name}`,
        rule: getAccessRule(handler),
      })),
    );
  });
}

const readPaths = (target: object): readonly string[] =>
  [Reflect.getMetadata(PATH_METADATA, target) as string | readonly string[] | undefined]
    .flat()
    .map((path) => path ?? '');
