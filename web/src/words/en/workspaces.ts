/** Texts of the list of workspaces. */
export const text = {
  title: 'Workspaces',
  lead: 'Choose the workspace that you want to work in.',
  reading: 'Shipgate is reading your organizations from GitHub. New ones appear here.',
  none: 'You are not a member of any workspace. Ask an admin for an invite, or install the app in your organization.',
  notInstalled: 'The app is not installed.',
  failed: 'The workspaces could not be loaded.',
  notSelected: 'The workspace could not be selected.',
} as const;
