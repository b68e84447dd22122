import { counted } from './counted.js';

/** Texts of the screens of platform admins. */
export const text = {
  title: 'Platform',
  forbidden: 'Only platform admins see the plans of all workspaces.',
  requests: 'Upgrade requests',
  workspaces: 'Workspaces',
  search: 'Search for an organization',
  count: (count: number) => counted(count, 'workspace', 'workspaces'),
  failed: 'The workspaces could not be loaded.',
  caption: 'Workspaces and their usage, by organization',
  columns: {
    workspace: 'Workspace',
    plan: 'Plan',
    repositories: 'Managed repositories',
    storage: 'Stored evidence',
  },
  none: 'No organization has connected the app.',
  noMatch: 'No workspace has this text in its name.',
} as const;
