/** Texts of the header and the navigation. */
export const text = {
  skip: 'Skip to the content',
  navigation: 'Main navigation',
  releases: 'Releases',
  repositories: 'Repositories',
  settings: 'Settings',
  team: 'Team',
  apiKeys: 'API keys',
  personalKeys: 'Personal keys',
  plan: 'Plan',
  sync: 'Sync',
  audit: 'Audit log',
  diagnostics: 'Diagnostics',
  platform: 'Upgrade requests',
  apiDocs: 'API documentation',
  switchWorkspace: 'Switch workspace',
  signOut: 'Sign out',
  account: (login: string) => `Account of ${login}`,
  sessionEnded: 'Your session has ended.',
  signInAgain: 'Sign in again',
  otherWorkspace: (org: string) =>
    `You have selected another workspace in another tab. Nothing on this page of ${org} can be changed.`,
} as const;
