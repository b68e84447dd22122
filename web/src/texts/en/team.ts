import type { Schema } from '../../api/client.js';
import { counted } from './counted.js';

/** Texts of the team and its invites. */
export const text = {
  title: 'Team',
  failed: 'The team could not be loaded.',
  caption: 'Members of the workspace, by login',
  columns: { member: 'Member', role: 'Role', joined: 'Joined', actions: 'Actions' },
  count: (count: number) => counted(count, 'member', 'members'),
  you: 'you',
  makes: { admin: 'Make admin', member: 'Make member' } satisfies Record<Schema<'Member'>['role'], string>,
  auditor: 'Auditor',
  makesAuditor: 'Make auditor',
  endsAuditor: 'End auditor',
  auditorHint: 'An auditor can read the audit log, but has no other rights of an admin.',
  auditorDone: (login: string, isAuditor: boolean) =>
    isAuditor ? `${login} can read the audit log now.` : `${login} is not an auditor any more.`,
  remove: 'Remove',
  actionFor: (action: string, login: string) => `${action}: ${login}`,
  demoteYourself: 'Give up the role of an admin',
  demoteEffect: (org: string) =>
    `You can no longer change members, keys, freezes and repositories of ${org}, or confirm overrides. You cannot undo this: another admin must make you an admin again.`,
  roleDone: (login: string, role: string) => `The role of ${login} is ${role} now.`,
  lastAdmin: 'The last admin. Make another member an admin first.',
  removeTitle: (login: string) => `Remove ${login}`,
  removeEffect: (login: string, org: string) =>
    `${login} loses access to ${org}. The personal keys of ${login} for this workspace and open invites for ${login} end now. To come back, ${login} needs a new invite.`,
  removeYourself: 'This is your own account.',
  removeDone: (login: string) => `${login} is not a member any more.`,

  invites: 'Invites',
  invitesCaption: 'Invites that can be accepted now, the newest first',
  inviteColumns: { for: 'For', role: 'Role', by: 'By', expires: 'Expires', actions: 'Actions' },
  anyone: 'Anyone with the link',
  noInvites: 'There is no open invite.',
  invite: 'Invite',
  inviteTitle: 'Invite to the workspace',
  inviteEffect:
    'You get a link for one use within 7 days. The user who accepts it must belong to the organization on GitHub.',
  login: 'GitHub login',
  loginHint: 'Only this user can accept the invite. Without a login, anyone with the link can.',
  role: 'Role',
  inviteAuditorHint: 'The user can read the audit log at once. An admin can do so in any case.',
  inviteConfirm: 'Create the link',
  inviteDone: 'The invite was created.',
  linkTitle: 'Link of the invite',
  linkLead: (login: string | null) =>
    `Send this link to the user. It works once, ${
      login === null ? 'for anyone with the link' : `for @${login} only`
    }, for 7 days. It is not shown again.`,
  withdraw: 'Withdraw',
  withdrawTitle: 'Withdraw the invite',
  withdrawEffect: (login: string | null) =>
    `The link ${login === null ? '' : `for @${login} `}does not work any more. You can create another one.`,
  withdrawFor: (login: string | null) => `Withdraw the invite for ${login ?? 'anyone with the link'}`,
  withdrawDone: 'The invite was withdrawn.',
} as const;
