import type { MemberRole } from '../../auth/user.js';

const DAY_MS = 24 * 3_600_000;

/** How long an invite waits to be accepted. */
export const INVITE_LIFE_MS = 7 * DAY_MS;

/** Leave to become a member of the workspace, once. */
export interface Invite {
  readonly id: string;
  /** The id on the code host of whom it is for; null for whoever holds it. */
  readonly person: number | null;
  /** What that person was called when it was made: a label, the id decides. */
  readonly login: string | null;
  readonly role: MemberRole;
  /** The admin who gives the leave, by their id on the code host. */
  readonly createdBy: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** An invite with what became of it. */
export interface StoredInvite extends Invite {
  readonly accepted: boolean;
  /** Whether it was taken back, by hand or because its maker is an admin no more. */
  readonly withdrawn: boolean;
}
