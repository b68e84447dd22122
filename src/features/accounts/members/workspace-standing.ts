import type { MemberRole } from '../../../auth/user.js';
import type { OrgId } from '../../../database/ids.js';

/** How a person stands in one workspace. */
export interface WorkspaceStanding {
  readonly orgId: OrgId;
  /** The organization's login. */
  readonly org: string;
  readonly role: MemberRole;
  /** Whether the app is installed there and not suspended. */
  readonly installed: boolean;
}
