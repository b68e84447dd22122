/** What a person may do in a repository, weakest first, in the names of GitHub's roles. */
const ROLES = ['read', 'triage', 'write', 'maintain', 'admin'] as const;

export type RoleName = (typeof ROLES)[number];

export function strongestRole(roles: readonly (RoleName | 'none')[]): RoleName | 'none' {
  return ROLES.findLast((role) => roles.includes(role)) ?? 'none';
}

export function hasRole(role: RoleName | 'none', requested: RoleName): boolean {
  return role !== 'none' && ROLES.indexOf(role) >= ROLES.indexOf(requested);
}

/** The older `permission` field, which knows neither triage nor maintain. */
export function legacyPermission(role: RoleName | 'none'): 'admin' | 'write' | 'read' | 'none' {
  if (role === 'triage') return 'read';
  return role === 'maintain' ? 'write' : role;
}
