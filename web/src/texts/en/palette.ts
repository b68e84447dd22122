import { counted } from './counted.js';

/** Texts of the search over the whole workspace. */
export const text = {
  title: 'Find',
  field: 'Releases, repositories, projects, commits, members, screens',
  hint: 'Arrow keys move, Enter opens, Esc closes.',
  groups: {
    releases: 'Releases',
    repositories: 'Repositories',
    projects: 'Projects',
    commits: 'Commits',
    users: 'Members',
    screens: 'Screens',
    actions: 'Actions',
  },
  shipped: 'Shipped',
  ofRelease: (release: string) => `of ${release}`,
  ungoverned: (repository: string) => `deployed from ${repository} without a release`,
  searching: 'Searching…',
  tooShort: 'Type two characters or more to search the workspace.',
  count: (count: number) => counted(count, 'result', 'results'),
  none: (text: string) => `Nothing that you can read matches “${text}”.`,
  failed: 'The search failed.',
  actions: {
    newRelease: 'New release',
    newFreeze: 'New freeze',
    sync: 'Read all repositories from GitHub again',
    platform: 'Decide on upgrade requests',
    switchWorkspace: 'Switch workspace',
    shortcuts: 'Keyboard shortcuts',
    light: 'Colors: light',
    dark: 'Colors: dark',
    auto: 'Colors: as the operating system',
  },
  syncFailed: 'The sync could not be requested.',
  syncStarted: 'The sync was requested.',
} as const;
