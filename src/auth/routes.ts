import { type INestApplicationContext, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import { type AccessRule, getAccessRule } from './access.decorators.js';

/** A route that a controller answers. */
export interface ListedRoute {
  /** `GET`, `POST`, …; `ALL` answers each. */
  readonly method: string;
  readonly path: string;
  /** `EvidenceUploadController.upload`. */
  readonly handler: string;
  /** Null where the route declares none, and so answers nobody. */
  readonly rule: AccessRule | null;
}

/** Every route of every controller of the app with the rule that it declares, ordered by path and method. */
export function listRoutes(app: INestApplicationContext): readonly ListedRoute[] {
  const controllers = [...app.get(ModulesContainer).values()].flatMap((module) =>
    [...module.controllers.values()].map(
      ({ metatype }) => metatype as { readonly name: string; readonly prototype: object },
    ),
  );
  return controllers.flatMap(routesOf).sort((a, b) => a.path.localeCompare(b.path) || a.method.localeCompare(b.method));
}

function routesOf(controller: { readonly name: string; readonly prototype: object }): ListedRoute[] {
  return new MetadataScanner().getAllMethodNames(controller.prototype).flatMap((name) => {
    const handler = (controller.prototype as Record<string, unknown>)[name] as object;
    const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
    if (method === undefined) return [];
    return pathsOf(controller).flatMap((prefix) =>
      pathsOf(handler).map((path) => ({
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

const pathsOf = (target: object): readonly string[] =>
  [Reflect.getMetadata(PATH_METADATA, target) as string | readonly string[] | undefined]
    .flat()
    .map((path) => path ?? '');
