import type { OrganizationMembership } from '../../../github/api/user-access.js';

/**
 * The role that a person has in each account by its GitHub id, of what the host told them themselves. Their own account
 * is theirs alone: GitHub counts people and organizations together, so its id is no organization's.
 */
export const accountRoles = (
  person: number,
  memberships: readonly OrganizationMembership[],
): ReadonlyMap<number, OrganizationMembership['role']> =>
  new Map([[person, 'admin'], ...memberships.map(({ organizationId, role }) => [organizationId, role] as const)]);
