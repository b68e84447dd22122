/** The access of an app to one kind of resource. */
export type PermissionLevel = 'read' | 'write' | 'admin';

export type Permissions = Readonly<Record<string, PermissionLevel>>;

const ORDER: readonly PermissionLevel[] = ['read', 'write', 'admin'];

export function allows(granted: PermissionLevel | undefined, requested: PermissionLevel): boolean {
  return granted !== undefined && ORDER.indexOf(granted) >= ORDER.indexOf(requested);
}
