import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../../http/errors/domain-error.js';
import { otherWorkspaceSelected } from '../auth.errors.js';
import type { Membership } from '../user.js';

const MAX_LENGTH = 100;

/** Names the workspace of the session in the response. A route that selects another workspace calls it again. */
export function setWorkspaceHeader(reply: FastifyReply, { org }: Pick<Membership, 'org'>): void {
  reply.header('X-Workspace', org);
}

/**
 * Throws `conflict` if the request names another workspace than the selected one, by the login of its organization in any case.
 * All tabs of a browser share one session, so a page of one workspace could otherwise show or change another one. A request that
 * names no workspace is for the selected one. If none is selected, there is nothing to show or to change, and the access level
 * decides. The name is removed from the query, because the DTOs of routes reject unknown parameters.
 */
export function assertNamedWorkspace(
  { headers, query }: Pick<FastifyRequest, 'headers' | 'query'>,
  selected: Pick<Membership, 'org'> | null,
  inQuery: boolean,
): void {
  assertSelected('X-Workspace', headers['x-workspace'], selected);
  if (!inQuery) return;
  const parameters = query as { workspace?: unknown };
  assertSelected('workspace', parameters.workspace, selected);
  delete parameters.workspace;
}

function assertSelected(field: string, name: unknown, selected: Pick<Membership, 'org'> | null): void {
  if (name === undefined) return;
  if (typeof name !== 'string' || name === '' || name.length > MAX_LENGTH) {
    throw new DomainError('invalid', `${field} must be the login of one organization.`);
  }
  if (selected !== null && name.toLowerCase() !== selected.org.toLowerCase()) throw otherWorkspaceSelected();
}
