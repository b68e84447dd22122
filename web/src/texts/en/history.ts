import type { Schema } from '../../api/client.js';
import { counted, formatNumber } from './counted.js';

type DeploymentRecord = Schema<'DeploymentRecord'>;

const SOURCES = {
  github: 'GitHub',
  run: 'Reported by a CI run',
  api_key: 'Reported with an API key',
  manual: 'Recorded by hand',
} satisfies Record<DeploymentRecord['source'], string>;

/** Says who reported a deployment. */
export const describeSource = ({ source, keyName }: Pick<DeploymentRecord, 'source' | 'keyName'>): string =>
  keyName === null ? SOURCES[source] : `Reported with the API key ${keyName}`;

/** Texts of the deployment history. */
export const text = {
  title: 'History',
  caption: 'Deployments of the repositories that you can read, the latest first',
  search: 'Search by version or repository',
  count: (count: number) => counted(count, 'deployment', 'deployments'),
  exported: (count: number) => `Export ${counted(count, 'deployment', 'deployments')}`,
  formats: { csv: 'CSV', xlsx: 'Excel' },
  changed: (count: number) => `${counted(count, 'deployment has', 'deployments have')} changed. Show the new list`,
  failed: 'The history could not be loaded.',
  filters: 'Filters',
  repository: 'Repository',
  allRepositories: 'All repositories',
  kind: 'Kind',
  allKinds: 'All kinds',
  environment: 'Environment',
  allEnvironments: 'All environments',
  from: 'First day',
  to: 'Last day',
  utc: 'Days are in UTC. The last day is included.',
  columns: {
    deployment: 'Deployment',
    kind: 'Kind',
    environment: 'Environment',
    deployed: 'Deployed',
    score: 'Score',
    leadTime: 'Lead time',
    details: 'Details',
  },
  leadTimes: 'Lead times',
  leadTimesOrder: 'From the start of the work to the deployment, by the day of the deployment. A square is a hotfix.',
  leadTimesTitle: (count: number) =>
    `Lead times of ${counted(count, 'deployment', 'deployments')} of this page. The table below has the same values.`,
  leadTimeOf: (deployment: string, duration: string) => `${deployment}: ${duration}`,
  kinds: { release: 'Release', hotfix: 'Hotfix', rollback: 'Rollback', ungoverned: 'Ungoverned' } satisfies Record<
    DeploymentRecord['kind'],
    string
  >,
  kindNotes: {
    release: null,
    hotfix: null,
    rollback: 'A deployment of an earlier release.',
    ungoverned: 'The deployment bypassed the gate.',
  } satisfies Record<DeploymentRecord['kind'], string | null>,
  noRelease: 'no release',
  by: (login: string) => `by ${login}`,
  byUnknown: 'GitHub did not name the user',
  score: formatNumber,
  overridden: (count: number) => counted(count, 'override', 'overrides'),
  show: (deployment: string) => `Details of ${deployment}`,
  none: 'Nothing has been deployed yet.',
  noneHint: 'Shipgate records every deployment of a managed repository to its deployment target.',
  noMatch: 'No deployment matches these filters.',
  facts: {
    time: 'Time',
    commit: 'Commit',
    deployedBy: 'Deployed by',
    source: 'Source',
    run: 'Run',
    approvers: 'Approved by',
    leadTime: 'Lead time',
    note: 'Note',
    overrides: 'Overrides',
    decision: 'Decision',
    approval: 'Approval',
    auditPack: 'Audit pack',
  },
  noApprovals: 'No approval was counted.',
  noLeadTime: 'Nothing was shipped.',
  decision: 'The decision that opened the gate',
  approval: 'How it was approved',
  auditPack: 'Download the audit pack',
  overrides: { waiver: 'Waiver', break_glass: 'Break-glass' } satisfies Record<
    Schema<'RecordedOverride'>['kind'],
    string
  >,
  overrideBy: (requestedBy: string, confirmedBy: string) => `requested by ${requestedBy}, confirmed by ${confirmedBy}`,
  until: (time: string) => `in force until ${time}`,
} as const;
