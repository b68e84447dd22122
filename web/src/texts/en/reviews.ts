import { counted, formatNumber } from './counted.js';
import type { Schema } from '../../api/client.js';

/** Texts of the pending reviews. */
export const text = {
  title: 'Reviews',
  tabs: 'Whose reviews',
  scopes: { mine: 'Mine', workspace: 'Workspace', unknown: 'Unknown' },
  captions: {
    mine: 'Releases that you can approve, the last changed first',
    workspace: 'Releases that wait for approvals and that you can read, the last changed first',
    unknown: 'Releases that are being checked with GitHub, the last changed first',
  },
  columns: {
    release: 'Release',
    approvals: 'Approvals',
    you: 'You',
    effect: 'Effect of an approval',
    action: 'Review',
  },
  changed: (count: number) => `${counted(count, 'review has', 'reviews have')} changed. Show the new list`,
  failed: 'The reviews could not be loaded.',
  checking: (count: number) => `Shipgate is checking ${counted(count, 'review', 'reviews')} with GitHub.`,
  checkingHint: 'A review appears here as soon as GitHub has confirmed that you can approve it.',
  noneMine: 'No review waits for you.',
  inWorkspace: (count: number) =>
    `${counted(count, 'release waits', 'releases wait')} for approvals in this workspace.`,
  noneWorkspace: 'No release that you can read waits for approvals.',
  noneUnknown: 'GitHub has confirmed for all releases whether you can approve them.',
  noneHint: 'A release waits for approvals when its evidence is complete.',
  waiting: 'Waiting for',
  lostTests: (count: number) => counted(count, 'lost test', 'lost tests'),
  brief: 'What changed',
  briefOf: (release: string) => `What changed in ${release}`,
  approvals: (given: number | null, required: number | null) => {
    if (required === null) return given === null ? 'Unknown' : counted(given, 'approval', 'approvals');
    return given === null
      ? `${counted(required, 'approval is', 'approvals are')} required`
      : `${formatNumber(given)} of ${counted(required, 'approval', 'approvals')}`;
  },
  byTeams: (teams: readonly string[]) => `by members of ${teams.join(', ')}`,
  byAll: 'by users with write access',
  noApproval: 'The policy requires no approval.',
  noPolicy: 'The policy is not known.',
  eligibility: {
    eligible: 'You can approve',
    ineligible: 'You cannot approve',
    unknown: 'Being checked',
  } satisfies Record<Schema<'ReviewEligibility'>['status'], string>,
  states: {
    open: null,
    closed: 'The pull request is closed.',
    merged: 'The pull request is merged.',
    unknown: null,
  } satisfies Record<Schema<'PendingReview'>['reviewState'], string | null>,
  review: 'Review on GitHub',
  noPull: 'The evidence pull request is not open yet.',
} as const;
