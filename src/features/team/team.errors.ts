/** What somebody is told whose wish the team's rules do not grant: each sentence says what to do next. */
import { DomainError } from '../../http/errors/domain-error.js';

const RETRY_AFTER_SECONDS = 30;

/** Forged, mistyped or of no workspace: one sentence, so that nobody learns which. */
export const unknownInvite = (): DomainError =>
  new DomainError('not_found', 'There is no such invite: check that the link is whole.');

export const inviteForOtherUser = (): DomainError =>
  new DomainError('forbidden', 'This invite is for somebody else: sign in with the account that it was made for.');

export const inviteExpired = (): DomainError =>
  new DomainError('gone', 'This invite has expired: ask an admin of the workspace for another one.');

export const inviteAlreadyUsed = (): DomainError =>
  new DomainError('gone', 'This invite was accepted already: ask an admin of the workspace for another one.');

export const inviteWithdrawn = (): DomainError =>
  new DomainError('gone', 'This invite was withdrawn: ask an admin of the workspace for another one.');

export const alreadyMember = (org: string): DomainError =>
  new DomainError('conflict', `You are a member of ${org} already: select its workspace.`);

export const notInOrganization = (org: string): DomainError =>
  new DomainError(
    'forbidden',
    `You do not belong to the organization ${org} on GitHub: have one of its owners add you there, then accept again.`,
  );

export const noSuchInvite = (): DomainError =>
  new DomainError('not_found', 'The workspace has no such invite that waits.');

export const noSuchMember = (): DomainError => new DomainError('not_found', 'The workspace has no such member.');

export const lastAdmin = (): DomainError =>
  new DomainError('conflict', 'This is the last admin of the workspace: make somebody else an admin first.');

export const unknownLogin = (login: string): DomainError =>
  new DomainError('unprocessable', `GitHub knows no person ${login}: check the login.`);

export const tooManyInvites = (most: number): DomainError =>
  new DomainError('conflict', `${most} invites of the workspace wait already, and no more may: withdraw one first.`);

export const invitesMember = (login: string): DomainError =>
  new DomainError('conflict', `${login} is a member of the workspace already: change the role there.`);

/** While no installation of the app speaks for the organization, nobody can be looked up there. */
export const organizationNotAccessible = (org: string): DomainError =>
  new DomainError(
    'conflict',
    `The app may not see who belongs to ${org}: have an owner install it, or grant what it asks for, then try again.`,
  );

export const hostGone = (cause: unknown): DomainError =>
  new DomainError('unavailable', 'The code host cannot be asked now: try again in a moment.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });
