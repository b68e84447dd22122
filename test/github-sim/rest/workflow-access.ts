import { notAccessible, notFound } from './api-error.js';
import type { Caller } from './caller.js';

const WORKFLOWS = '.github/workflows/';

/**
 * Rejects a write of a workflow file without the permission: an app without its permission gets an error, a classic token
 * without the scope `workflow` that there is nothing here.
 */
export function requireWorkflowAccess(caller: Caller, paths: readonly string[]): void {
  if (!paths.some((path) => path.startsWith(WORKFLOWS))) return;
  if (caller.kind === 'installation' && caller.permissions['workflows'] !== 'write') throw notAccessible();
  if (caller.kind === 'user' && caller.app === null && !caller.scopes.has('workflow')) throw notFound();
}
