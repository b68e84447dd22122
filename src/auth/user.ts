import type { OrgId } from '../database/ids.js';

/** A GitHub user. */
export interface User {
  /** The numeric id on GitHub. The other values are labels and may change. */
  readonly id: number;
  readonly login: string;
  readonly name: string | null;
  readonly avatarUrl: string;
}

export type MemberRole = 'member' | 'admin';

/** The membership of a user in a workspace. */
export interface Membership {
  readonly orgId: OrgId;
  /** The organization's login. */
  readonly org: string;
  readonly role: MemberRole;
  /** When GitHub last listed the user in the organization. */
  readonly confirmedAt: Date;
  /** When the readable repositories of the user were last read from GitHub. Null if never. */
  readonly accessObservedAt: Date | null;
}
