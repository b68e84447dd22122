import type { PermissionLevel } from '../state/permission.js';
import type { RoleName } from '../state/role.js';
import type { Answer, Call, RepositoryCall } from './call.js';
import type { RepositoryNeed } from './repository-access.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface RouteAddress {
  readonly method: Method;
  /** In Fastify's syntax. */
  readonly path: string;
}

interface OpenRoute extends RouteAddress {
  readonly kind: 'open';
  readonly handle: (call: Call) => Answer;
}

export interface RepositoryRoute extends RouteAddress {
  readonly kind: 'repository';
  readonly need: RepositoryNeed;
  readonly handle: (call: RepositoryCall) => Answer;
}

export type Route = OpenRoute | RepositoryRoute;

/** A route that checks its caller itself. */
export function publicRoute(method: Method, path: string, handle: OpenRoute['handle']): OpenRoute {
  return { kind: 'open', method, path, handle };
}

/**
 * A route below `/repos/{owner}/{repo}`. `path` is the rest of the path, and `need` is `permission[|permission]:level`.
 * A user needs the role of that level, or the given role.
 */
export function repositoryRoute(
  method: Method,
  path: string,
  need: `${string}:${PermissionLevel}`,
  handle: RepositoryRoute['handle'],
  role?: RoleName,
): RepositoryRoute {
  const [names = '', level = 'read'] = need.split(':');
  const permissions = names.split('|');
  return {
    kind: 'repository',
    method,
    path: `/repos/:owner/:repo${path}`,
    handle,
    need: { permissions, level: level as PermissionLevel, ...(role && { role }) },
  };
}

export const ok = (body: unknown): Answer => ({ status: 200, body });
export const created = (body: unknown): Answer => ({ status: 201, body });
export const noContent: Answer = { status: 204 };
