import type { Schema } from '../../api/client.js';

type Release = Schema<'Release'>;

/** Texts that several screens use. Each stage, outcome and role has one word in the whole dashboard. */
export const common = {
  product: 'Shipgate',
  loading: 'Loading…',
  tryAgain: 'Try again',
  requestId: (id: string) => `Request ${id}`,
  retryIn: (seconds: number) => `You can try again in ${seconds} s.`,
  retriesIn: (seconds: number) => `Shipgate tries again in ${seconds} s.`,
  hadNoSession: 'Your session had ended, so this was not done. Sign in again, then repeat it.',
  stale: 'This could not be refreshed. It shows what was loaded before.',
  notFound: 'This page does not exist.',
  notFoundHint: 'The address may be incomplete. The navigation has all pages of this workspace.',
  signInAsOther: 'Sign in as another user',
  crashed: 'This page could not be shown.',
  notLoaded: 'Its code could not be loaded. Check the network, then reload the page.',
  reload: 'Reload',
  cancel: 'Cancel',
  close: 'Close',
  undo: 'Undo',
  undone: 'Undone.',
  undoFailed: 'This could not be undone.',
  dismiss: 'Dismiss',
  notice: 'Notice',
  done: 'Done',
  haveIt: 'I have it',
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: 'The browser did not allow copying. Select the text and copy it yourself.',
  clearFilters: 'Clear the filters',
  pages: 'Pages',
  optional: 'optional',
  onlyAdmins: 'Only an admin of the workspace can do this.',
  unknown: 'Unknown',
  none: 'None',
  openOnGitHub: 'Open on GitHub',
  roles: { admin: 'Admin', member: 'Member' } satisfies Record<Schema<'Workspace'>['role'], string>,
  outcomes: {
    blocked: 'Blocked',
    needs_approval: 'Needs approval',
    ready_to_deploy: 'Ready to deploy',
    in_progress: 'In progress',
  } satisfies Record<NonNullable<Release['outcome']>, string>,
  stages: {
    PLANNING: 'Planning',
    DEVELOPMENT: 'Development',
    TESTING: 'Testing',
    EVIDENCING: 'Evidencing',
    DEPLOYMENT: 'Deployment',
    DEPLOYED: 'Deployed',
  } satisfies Record<Release['stage'], string>,
  cancelled: 'Cancelled',
  /** Words for a release whose facts are not confirmed and fresh. */
  notVerified: { pending: 'Being evaluated', unknown: 'Not verified', expired: 'Out of date' } as Readonly<
    Record<string, string>
  >,
  fromOrganization: 'From the organization',
  actors: {
    team: 'Team',
    ci: 'CI',
    reviewer: 'Reviewer',
    deployer: 'Deployer',
    admin: 'Admin',
    service: 'Shipgate',
  } satisfies Record<Schema<'Condition'>['actor'], string>,
} as const;
