import type { Schema } from '../../api/client.js';
import { counted, formatNumber } from './counted.js';

type Details = Schema<'ReleaseDetails'>;

const conditions = (count: number, verb: string): string =>
  `${counted(count, 'condition', 'conditions')} ${count === 1 ? 'is' : 'are'} ${verb}`;

/** Texts of the screen of one release. */
export const text = {
  failed: 'The release could not be loaded.',
  recordFailed: 'The record of the deployment could not be loaded.',
  release: 'Release',
  answer: {
    title: 'May it be deployed?',
    blocked: (count: number) => `Blocked: ${conditions(count, 'not met')}.`,
    needs_approval: (given: number, required: number | null) =>
      required === null
        ? 'Needs approval of the evidence.'
        : `Needs approval: ${formatNumber(given)} of ${formatNumber(required)} given.`,
    ready_to_deploy: (commit: string, target: string | null) =>
      target === null ? `Ready to deploy ${commit}.` : `Ready to deploy ${commit} to ${target}.`,
    in_progress: (count: number) =>
      count === 0 ? 'In progress.' : `In progress: ${conditions(count, 'not met yet')}.`,
    pending: 'Being evaluated. The result appears automatically.',
    unknown: 'Not verified: not all facts are known, so nothing may be deployed.',
    expired: 'Out of date: the facts are too old, so nothing may be deployed.',
    shipped: 'Shipped.',
    cancelled: 'Cancelled. To continue, reopen the milestone on GitHub.',
  },
  facts: {
    candidate: 'Candidate',
    target: 'Target',
    stage: 'Stage',
    due: 'Due',
    milestone: 'Milestone',
    evidencePull: 'Evidence pull request',
    verification: 'Verification',
    validUntil: 'Valid until',
    cancelledAt: 'Cancelled',
    deployedAt: 'Deployed',
    deployedBy: 'Deployed by',
    environment: 'Environment',
    approvers: 'Approved by',
    kind: 'Kind',
    score: 'Score',
    note: 'Note',
  },
  noCandidate: 'There is none yet',
  copyCandidate: 'Copy the candidate commit',
  stageOf: (at: number, count: number) => `${at} of ${count}`,
  pull: (number: number) => `#${number}`,
  reading: 'Reading from GitHub…',
  verified: 'Read from GitHub:',
  notVerified: 'Not verified',
  evaluated: 'Evaluated:',
  neverEvaluated: 'Never evaluated',
  asOfDeployment: 'As of the deployment',
  kinds: {
    release: 'Release',
    hotfix: 'Hotfix',
    rollback: 'Rollback',
    ungoverned: 'Ungoverned',
  } satisfies Record<Schema<'DeploymentRecord'>['kind'], string>,
  blockers: {
    title: 'What keeps the gate closed',
    yours: 'You can do this',
    next: 'Next step',
    openLink: 'Open the page',
    more: (count: number) => `Show ${counted(count, 'more', 'more')}`,
    overridable: {
      waiver: 'Two admins can waive this.',
      break_glass: 'Only break-glass sets this aside.',
      none: 'No override sets this aside.',
    } satisfies Record<Schema<'ReleaseCondition'>['override'], string>,
    toOverrides: 'Request an override',
    details: 'Details:',
    toParts: {
      scope: 'Show the scope',
      evidence: 'Show the evidence',
      checks: 'Show the checks',
      approvals: 'Show the approvals',
      policy: 'Show the policy',
    },
    warning: 'Warning',
    warnings: 'Warnings',
    warningsHint: 'These do not block the release.',
    overrides: 'Overrides in force',
    kinds: { waiver: 'Waiver', break_glass: 'Break-glass' } satisfies Record<Schema<'Override'>['kind'], string>,
    until: 'until',
    covers: 'Without it, these conditions would block:',
  },
  pipeline: {
    title: 'Stages',
    standing: { passed: 'Passed', current: 'Current', ahead: 'Ahead' } satisfies Record<
      Details['stages'][number]['standing'],
      string
    >,
    met: 'Met',
    unmet: 'Not met',
    unknown: 'Unknown',
    metCount: (count: number) => `${formatNumber(count)} met`,
    unmetCount: (count: number) => `${formatNumber(count)} not met`,
    unknownCount: (count: number) => `${formatNumber(count)} unknown`,
    noConditions: 'No conditions',
    nothing: 'This stage has no conditions.',
  },
  actions: {
    title: 'Actions',
    readAgain: 'Read again',
    auditPack: 'Audit pack',
    start: {
      open: 'Start work',
      title: 'Start work on this release',
      effect: 'This states that work has begun. It cannot be taken back.',
      done: 'Work has started.',
    },
    reopen: {
      open: 'Open another pull request',
      title: 'Open another evidence pull request',
      effect: 'Shipgate opens another evidence pull request. Earlier approvals do not count for it.',
      done: 'Shipgate is opening the evidence pull request.',
    },
    record: {
      open: 'Record a deployment',
      title: 'Record a deployment',
      confirm: 'Record the deployment',
      effect: (version: string) => `This ships ${version}. It cannot be undone.`,
      noCandidate: 'There is no candidate yet.',
      commit: 'Commit',
      time: 'Time of the deployment',
      timeHint: 'In your time zone. The default is now. The gate must have been open at that time.',
      environment: 'Environment',
      environmentHint: (target: string) => `It must be the target of the policy, ${target}. This is the default.`,
      note: 'Note',
      noteHint: 'For the history.',
      done: (version: string) => `${version} is shipped.`,
    },
  },
  parts: 'Parts of the release',
  shownPart: (part: string) => `Part of the release: ${part}`,
  tabs: {
    scope: 'Scope',
    evidence: 'Evidence',
    checks: 'Checks',
    approvals: 'Approvals',
    decisions: 'Decisions',
    overrides: 'Overrides',
    policy: 'Policy',
  },
  part: {
    read: 'Read from GitHub:',
    notRead: 'Not read yet',
    unknown: 'Not current',
    lastRead: 'Last read:',
  },
  thisRelease: 'This release',
  named: (name: string) => `The release ${name}`,
  notVisible: (name: string) => `${name} does not exist, or you cannot see it.`,
  toReleases: 'Go to your releases',
  byName: {
    failed: 'The release could not be looked up.',
  },
} as const;
