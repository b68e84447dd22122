import type { Schema } from '../api/client.js';

type Release = Schema<'Release'>;

const PLURAL = new Intl.PluralRules('en');
const NUMBER = new Intl.NumberFormat('en');

/** Formats a count with its noun, for example "1 release" and "2 releases". */
const counted = (count: number, one: string, other: string): string =>
  `${NUMBER.format(count)} ${PLURAL.select(count) === 'one' ? one : other}`;

/** Every text of the dashboard, by screen. Another language is another file of this type. */
export const words = {
  product: 'Shipgate',
  frame: {
    skip: 'Skip to the content',
    navigation: 'Main navigation',
    releases: 'Releases',
    apiDocs: 'API documentation',
    switchWorkspace: 'Switch workspace',
    signOut: 'Sign out',
    account: (login: string) => `Account of ${login}`,
    sessionEnded: 'Your session has ended.',
    signInAgain: 'Sign in again',
  },
  states: {
    loading: 'Loading…',
    tryAgain: 'Try again',
    requestId: (id: string) => `Request ${id}`,
    notFound: 'This page does not exist.',
    crashed: 'This page could not be shown.',
    reload: 'Reload',
  },
  signIn: {
    title: 'Sign in',
    lead: 'Shipgate collects the evidence of a release, has it reviewed on GitHub, and tells your deployment whether the release may be deployed.',
    button: 'Sign in with GitHub',
    /** Sentences for the codes of failed sign-ins and installations. */
    notices: {
      code_rejected: 'GitHub rejected the code of this sign-in. Sign in again.',
      denied: 'You did not authorize the app. To try again, sign in.',
      expired: 'This sign-in was not started in this browser, is over, or took longer than 10 minutes. Sign in again.',
      failed: 'Something went wrong. Try again.',
      github_rejected: 'GitHub rejected the sign-in. Try again.',
      github_unavailable: 'GitHub does not answer now. Try again soon.',
      installation_not_found: 'None of your organizations has this installation of the app.',
      invalid: 'The address is not complete. Start again.',
      not_an_owner: 'Only an owner of the organization can connect it. Ask an owner to connect it, or for an invite.',
      owns_no_organization:
        'You own no organization on GitHub, and only an owner can connect one. Ask an owner to connect it, or for an invite.',
      personal_account: 'The app is installed in your own account. Install it in an organization.',
      rate_limited: 'There were too many requests. Try again in a minute.',
      unavailable: 'The service is not available now. Try again soon.',
    } as Readonly<Record<string, string>>,
    who: 'Owners of an organization that has installed the app become its admins. Other users need an invite.',
  },
  workspaces: {
    title: 'Workspaces',
    lead: 'Choose the workspace that you want to work in.',
    reading: 'Shipgate is reading your organizations from GitHub. New ones appear here.',
    none: 'You are not a member of any workspace. Ask an admin for an invite, or install the app in your organization.',
    notInstalled: 'The app is not installed.',
    failed: 'The workspaces could not be loaded.',
    notSelected: 'The workspace could not be selected.',
    role: { admin: 'Admin', member: 'Member' } as Record<string, string>,
  },
  releases: {
    title: 'Releases',
    caption: 'Active releases that you can read, the last changed first',
    search: 'Search by version or repository',
    count: (count: number) => counted(count, 'release', 'releases'),
    failed: 'The releases could not be loaded.',
    stale: 'The list could not be refreshed. It shows what was loaded before.',
    columns: { release: 'Release', outcome: 'Outcome', blocker: 'First blocker', issues: 'Issues', changed: 'Changed' },
    all: 'All',
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
    actors: {
      team: 'Team',
      ci: 'CI',
      reviewer: 'Reviewer',
      deployer: 'Deployer',
      admin: 'Admin',
      service: 'Shipgate',
    } satisfies Record<Schema<'Condition'>['actor'], string>,
    more: (count: number) => `and ${counted(count, 'more', 'more')}`,
    issues: (open: number, closed: number) => `${NUMBER.format(open)} open, ${NUMBER.format(closed)} closed`,
    notVerified: { pending: 'Being evaluated', unknown: 'Not verified', expired: 'Out of date' } as Record<
      string,
      string
    >,
    none: 'There is no active release.',
    noneHint: 'A release starts with a milestone on GitHub whose title is a version, for example v1.4.0.',
    noMatch: 'No release matches these filters.',
    clearFilters: 'Clear the filters',
    pages: 'Pages of releases',
  },
} as const;
