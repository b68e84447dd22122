import { notAccessible, notFound } from './api-error.js';
import type { Caller } from './caller.js';

const WORKFLOWS = '.github/workflows/';

/**
 * Rejects a write of a workflow file without the permission. An app without the permission gets an error about it, and
 * a classic token without the scope `workflow` gets a 404.
 */
export function requireWorkflowAccess(caller: Caller, paths: readonly string[]): void {
  if (!paths.some((path) => path.startsWith(WORKFLOWS))) return;
  if (caller.kind === 'installation' && caller.permissions['workflows'] !== 'write') throw notAccessible();
  if (caller.kind === 'user' && caller.app === null && !caller.scopes.has('workflow')) throw notFound();
}
