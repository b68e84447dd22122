/** The roles of a user in a repository, weakest first, with GitHub's names. */
const ROLES = ['read', 'triage', 'write', 'maintain', 'admin'] as const;

export type RoleName = (typeof ROLES)[number];

export function strongestRole(roles: readonly (RoleName | 'none')[]): RoleName | 'none' {
  return ROLES.findLast((role) => roles.includes(role)) ?? 'none';
}

export function hasRole(role: RoleName | 'none', requested: RoleName): boolean {
  return role !== 'none' && ROLES.indexOf(role) >= ROLES.indexOf(requested);
}

/** The older `permission` field, which has neither triage nor maintain. */
export function legacyPermission(role: RoleName | 'none'): 'admin' | 'write' | 'read' | 'none' {
  if (role === 'triage') return 'read';
  return role === 'maintain' ? 'write' : role;
}
