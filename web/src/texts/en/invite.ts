import type { Schema } from '../../api/client.js';

/** Texts of the page on which a user accepts an invite. */
export const text = {
  documentTitle: 'Invite',
  title: 'You are invited to Shipgate',
  lead: 'The admin of a workspace has invited you to it.',
  invitedTo: {
    admin: (org: string) => `You are invited to become an admin of the workspace ${org}.`,
    member: (org: string) => `You are invited to become a member of the workspace ${org}.`,
  } satisfies Record<Schema<'WorkspaceMembership'>['role'], (org: string) => string>,
  alsoAuditor: 'You can read the audit log there, too.',
  signInLead: 'Sign in with the GitHub account that is to join the workspace. Then you return here to accept.',
  signIn: 'Sign in with GitHub',
  signedInAs: (login: string) => `You are signed in as ${login}. This account will join the workspace.`,
  accept: 'Accept the invite',
  otherAccount: 'Use another account',
  welcome: (org: string) => `Welcome to ${org}`,
  nowRole: {
    admin: 'You are an admin of the workspace now.',
    member: 'You are a member of the workspace now.',
  } satisfies Record<Schema<'WorkspaceMembership'>['role'], string>,
  open: 'Go to the workspace',
  rejected: 'This invite does not work',
  nothing: 'There is no invite here',
  nothingHint: 'The address contains no invite. Open the complete link, or ask for a new one.',
  home: 'Go to Shipgate',
  failed: 'Your session could not be read.',
} as const;
