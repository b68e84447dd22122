/** Errors of the team and its invites. */
import { DomainError } from '../../http/errors/domain-error.js';

/** The same message for a forged, mistyped or unknown invite, so that a caller cannot tell them apart. */
export const inviteNotFound = (): DomainError =>
  new DomainError('not_found', 'There is no such invite. Check that the link is complete.');

export const inviteForOtherUser = (): DomainError =>
  new DomainError('forbidden', 'This invite is for another user. Sign in with the account that was invited.', {
    errorCode: 'invite_for_other_user',
  });

export const inviteExpired = (): DomainError =>
  new DomainError('gone', 'This invite has expired. Ask an admin of the workspace for a new one.', {
    errorCode: 'invite_expired',
  });

export const inviteAlreadyUsed = (): DomainError =>
  new DomainError('gone', 'This invite was accepted already. Ask an admin of the workspace for a new one.', {
    errorCode: 'invite_used',
  });

export const inviteWithdrawn = (): DomainError =>
  new DomainError('gone', 'This invite was withdrawn. Ask an admin of the workspace for a new one.', {
    errorCode: 'invite_withdrawn',
  });

export const alreadyMember = (org: string): DomainError =>
  new DomainError('conflict', `You are a member of ${org} already. Select its workspace.`, {
    errorCode: 'already_member',
  });

export const notInOrganization = (org: string): DomainError =>
  new DomainError(
    'forbidden',
    `You do not belong to the organization ${org} on GitHub. Ask one of its owners to add you, then accept the invite again.`,
    { errorCode: 'not_in_organization' },
  );

export const pendingInviteNotFound = (): DomainError =>
  new DomainError('not_found', 'The workspace has no such pending invite.');

export const memberNotFound = (): DomainError => new DomainError('not_found', 'The workspace has no such member.');

export const lastAdmin = (): DomainError =>
  new DomainError('conflict', 'This is the last admin of the workspace. Make another member an admin first.', {
    errorCode: 'last_admin',
  });

export const loginNotFound = (login: string): DomainError =>
  new DomainError('unprocessable', `GitHub has no user ${login}. Check the login.`);

export const inviteLimitReached = (limit: number): DomainError =>
  new DomainError('conflict', `The workspace has the maximum of ${limit} pending invites. Withdraw one first.`, {
    errorCode: 'invite_limit',
  });

export const invitedUserIsMember = (login: string): DomainError =>
  new DomainError('conflict', `${login} is a member of the workspace already. Change the role of the member instead.`, {
    errorCode: 'already_member',
  });

/** No installation of the app can read the members of the organization. */
export const organizationNotAccessible = (org: string): DomainError =>
  new DomainError(
    'conflict',
    `The app cannot read the members of ${org}. Ask an owner to install it or to grant its permissions, then try again.`,
    { errorCode: 'members_unreadable' },
  );
