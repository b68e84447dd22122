/** Texts of the header and the navigation. */
export const text = {
  skip: 'Skip to the content',
  navigation: 'Main navigation',
  releases: 'Releases',
  apiDocs: 'API documentation',
  switchWorkspace: 'Switch workspace',
  signOut: 'Sign out',
  account: (login: string) => `Account of ${login}`,
  sessionEnded: 'Your session has ended.',
  signInAgain: 'Sign in again',
  otherWorkspace: (org: string) =>
    `You have selected another workspace in another tab. Nothing on this page of ${org} can be changed.`,
  live: { live: 'Live', connecting: 'Connecting…', off: 'Not live' },
  liveHint: {
    live: 'Changes appear by themselves.',
    connecting: 'Changes appear as soon as the connection is open.',
    off: 'Changes appear within a minute.',
  },
} as const;
