import { allows, type PermissionLevel } from '../state/permission.js';
import type { Repository } from '../state/repository.js';
import { hasRole, type RoleName } from '../state/role.js';
import type { User } from '../state/user.js';
import { ApiError, notAccessible, notFound } from './api-error.js';
import type { Caller } from './caller.js';

/** The permission that a route requires in a repository. */
export interface RepositoryNeed {
  /** Alternative permissions of an app. One of them is enough. */
  readonly permissions: readonly string[];
  readonly level: PermissionLevel;
  /** The role that a user needs, if it is not the role of the level. */
  readonly role?: RoleName;
}

const ROLE_FOR_LEVEL: Readonly<Record<PermissionLevel, RoleName>> = { read: 'read', write: 'write', admin: 'admin' };

/**
 * Rejects a caller as GitHub does: 404 if the caller cannot see the repository, 403 if the caller lacks a permission.
 */
export function requireAccess(caller: Caller, repository: Repository, need: RepositoryNeed): void {
  if (!canRead(caller, repository)) throw notFound();
  if (caller.kind === 'anonymous' || caller.kind === 'app') {
    if (need.level !== 'read') throw new ApiError(401, 'Requires authentication');
    return;
  }
  if (caller.kind === 'installation') requireGrant(caller, repository, need);
  else requireRole(caller.user, repository, need);
  if (need.level !== 'read' && repository.archived) throw new ApiError(403, 'Repository was archived so is read-only.');
}

/** Whether the caller can see the repository. */
export function canRead(caller: Caller, repository: Repository): boolean {
  if (caller.kind === 'installation') return !repository.private || isCovered(caller, repository);
  if (caller.kind !== 'user') return !repository.private;
  const { user, app } = caller;
  if (repository.roleOf(user) === 'none') return false;
  if (!app || !repository.private) return true;
  return repository.state.installations.find(app, repository.owner)?.covers(repository) ?? false;
}

/** Whether a route with this need allows the caller to write. */
export function canWrite(caller: Caller, repository: Repository, need: RepositoryNeed): boolean {
  try {
    requireAccess(caller, repository, need);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

function requireGrant(caller: Caller & { kind: 'installation' }, repository: Repository, need: RepositoryNeed): void {
  const isGranted = need.permissions.some((name) => allows(caller.permissions[name], need.level));
  if (isCovered(caller, repository) ? !isGranted : need.level !== 'read') throw notAccessible();
}

function requireRole(user: User, repository: Repository, need: RepositoryNeed): void {
  const requested = need.permissions.includes('administration') ? 'admin' : ROLE_FOR_LEVEL[need.level];
  const role = need.level === 'read' ? 'read' : (need.role ?? requested);
  if (!hasRole(repository.roleOf(user), role)) throw new ApiError(403, 'Must have push access to repository');
}

function isCovered(
  { installation, repositoryIds }: Caller & { kind: 'installation' },
  repository: Repository,
): boolean {
  return installation.covers(repository) && (repositoryIds === null || repositoryIds.has(repository.id));
}
