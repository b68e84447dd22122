import type { OrgId } from '../database/ids.js';

/** A person as the code host knows them. */
export interface User {
  /** The numeric id on the code host; the rest are labels, which may change. */
  readonly id: number;
  readonly login: string;
  readonly name: string | null;
  readonly avatarUrl: string;
}

export type MemberRole = 'member' | 'admin';

/** That a person belongs to a workspace, and when the code host last said so. */
export interface Membership {
  readonly orgId: OrgId;
  /** The organization's login. */
  readonly org: string;
  readonly role: MemberRole;
  /** When the code host last said that the person belongs to the organization. */
  readonly confirmedAt: Date;
  /** When it last said which repositories the person may read; null where it never did. */
  readonly accessObservedAt: Date | null;
}
