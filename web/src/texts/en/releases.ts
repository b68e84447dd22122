import { counted, formatNumber } from './counted.js';

/** Texts of the list of releases. */
export const text = {
  title: 'Releases',
  caption: 'Active releases that you can read, the last changed first',
  search: 'Search by version or repository',
  count: (count: number) => counted(count, 'release', 'releases'),
  failed: 'The releases could not be loaded.',
  columns: { release: 'Release', outcome: 'Outcome', blocker: 'First blocker', issues: 'Issues', changed: 'Changed' },
  all: 'All',
  changed: (count: number) => `${counted(count, 'release has', 'releases have')} changed. Show the new list`,
  more: (count: number) => `and ${counted(count, 'more', 'more')}`,
  issues: (open: number, closed: number) => `${formatNumber(open)} open, ${formatNumber(closed)} closed`,
  none: 'There is no active release.',
  noneHint: 'A release starts with a milestone on GitHub whose title is a version, for example v1.4.0.',
  noMatch: 'No active release matches these filters.',
  shipped: 'Shipped releases that match',
  shippedFailed: 'The shipped releases could not be loaded.',
  noneShipped: 'No shipped release matches.',
  deployed: 'Deployed',
  inHistory: 'Show all in the history',
  pages: 'Pages of releases',
} as const;
