/** Texts of the list of workspaces. */
export const text = {
  title: 'Workspaces',
  lead: 'Choose the workspace that you want to work in.',
  notVisible: (org: string) => `The workspace ${org} of this link does not exist, or you cannot see it.`,
  own: 'Your own workspaces:',
  reading: 'We are reading your organizations. New workspaces appear here.',
  none: 'You are not a member of any workspace.',
  noneInstall: 'If you own an organization on GitHub, install the app there. You become the admin of its workspace.',
  noneInvite: 'If your team uses Shipgate already, ask an admin of its workspace for an invite.',
  install: 'Install the app',
  installationRequested: 'GitHub sent your request to the owners of the organization.',
  notInstalled: 'The app is not installed.',
  failed: 'The workspaces could not be loaded.',
  notSelected: 'The workspace could not be selected.',
} as const;
