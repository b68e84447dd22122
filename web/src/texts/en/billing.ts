import type { Schema } from '../../api/client.js';
import { formatBytes } from './bytes.js';
import { counted, formatNumber } from './counted.js';

/** Texts of the plan, and of the decisions on plans. */
export const text = {
  title: 'Plan',
  failed: 'The plan could not be loaded.',
  plans: { free: 'Free', pro: 'Pro' } satisfies Record<Schema<'Billing'>['plan'], string>,
  facts: { plan: 'Plan', repositories: 'Managed repositories', storage: 'Stored evidence' },
  ofLimit: (used: string, limit: string | null) =>
    limit === null ? `${used}, without a limit` : `${used} of ${limit}`,
  repositories: (used: number, limit: number | null) =>
    text.ofLimit(formatNumber(used), limit === null ? null : formatNumber(limit)),
  storage: (used: number, limit: number | null) =>
    text.ofLimit(formatBytes(used), limit === null ? null : formatBytes(limit)),
  managedHint: 'Every managed repository of the workspace counts, also one that you cannot read.',
  full: 'The limit of the plan is reached. Another repository can be set up after an upgrade.',
  upgrade: 'Upgrade',
  upgradeHint: 'The pro plan has no limit of managed repositories. A platform admin decides on your request.',
  note: 'Note',
  noteHint: 'A note for the platform admins, for example an order number',
  request: 'Request the pro plan',
  requestDone: 'The pro plan was requested.',
  withdraw: 'Withdraw the request',
  withdrawDone: 'The request was withdrawn.',
  withdrawEffect: 'The platform admins no longer see the request as open. You can send another one.',
  statuses: { open: 'Open', approved: 'Approved', rejected: 'Rejected', withdrawn: 'Withdrawn' } satisfies Record<
    Schema<'UpgradeRequest'>['status'],
    string
  >,
  requestTitle: 'Upgrade request',
  requestFacts: {
    requested: 'Requested',
    note: 'Note',
    decided: 'Decided',
    reason: 'Reason',
    reference: 'Payment reference',
  },
  by: (login: string) => `by ${login}`,

  platformTitle: 'Upgrade requests',
  platformLead: 'Requests of all workspaces for the pro plan. Only platform admins see them.',
  platformFailed: 'The requests could not be loaded.',
  platformCaption: 'Upgrade requests, the newest first',
  platformColumns: {
    workspace: 'Workspace',
    status: 'Status',
    requested: 'Requested',
    note: 'Note',
    actions: 'Actions',
  },
  statusFilter: 'Status',
  everyStatus: 'Every status',
  count: (count: number) => counted(count, 'request', 'requests'),
  noRequests: 'There is no upgrade request.',
  noMatch: 'No upgrade request has this status.',
  approve: 'Approve',
  approveTitle: (org: string) => `Approve the pro plan of ${org}`,
  approveEffect: (org: string) =>
    `${org} gets the pro plan. Repositories that wait because of the limit become managed at once.`,
  reference: 'Payment reference',
  referenceHint: 'The reference of the payment, for example an invoice number',
  approveDone: (org: string) => `${org} has the pro plan.`,
  reject: 'Reject',
  rejectTitle: (org: string) => `Reject the request of ${org}`,
  rejectEffect: (org: string) => `${org} keeps its plan. Its members see your reason.`,
  rejectDone: (org: string) => `The request of ${org} was rejected.`,
  downgrade: 'Downgrade',
  downgradeTitle: (org: string) => `Downgrade ${org} to the free plan`,
  downgradeEffect: (org: string) =>
    `${org} gets the free plan. Its managed repositories stay managed, but no other repository can be set up until the number is below the limit of the free plan.`,
  downgradeDone: (org: string) => `${org} has the free plan.`,
  reason: 'Reason',
  actionFor: (action: string, org: string) => `${action} ${org}`,
} as const;
