import type { Schema } from '../api/client.js';
import { text } from '../texts/en/billing.js';
import { StatusLabel, type StatusKind } from './status-label.js';

type Status = Schema<'UpgradeRequest'>['status'];

const VARIANTS: Readonly<Record<Status, StatusKind>> = {
  open: 'waiting',
  approved: 'good',
  rejected: 'failed',
  withdrawn: 'neutral',
};

/** The status of a request for the pro plan. */
export const UpgradeStatusLabel = ({ status }: { readonly status: Status }) => (
  <StatusLabel kind={VARIANTS[status]}>{text.statuses[status]}</StatusLabel>
);
