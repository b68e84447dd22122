import type { Schema } from '../../api/client.js';
import { StatusLabel, type StatusKind } from '../../release-ui/status-label.js';
import { text } from '../../texts/en/repositories.js';

type Repository = Schema<'Repository'>;

const SETUP: Readonly<Record<Repository['setupState'], StatusKind>> = {
  NOT_STARTED: 'neutral',
  PR_OPEN: 'waiting',
  MERGED: 'running',
  PROTECTION_PENDING: 'waiting',
  PROTECTION_FAILED: 'failed',
  COMPLETE: 'good',
  LEGACY: 'running',
  SUSPENDED: 'blocked',
  REMOVED: 'neutral',
};

const PROTECTION: Readonly<Record<Repository['protection']['status'], StatusKind>> = {
  unknown: 'neutral',
  pending: 'running',
  active: 'good',
  drifted: 'blocked',
  failed: 'failed',
  advisory: 'neutral',
};

const INTEGRITY: Readonly<Record<Repository['integrity']['status'], StatusKind>> = {
  intact: 'good',
  tampered: 'blocked',
  unwatched: 'neutral',
};

const WORKFLOW: Readonly<Record<NonNullable<Repository['workflow']['status']> | 'none', StatusKind>> = {
  UP_TO_DATE: 'good',
  UPDATE_AVAILABLE: 'waiting',
  PR_OPEN: 'waiting',
  none: 'neutral',
};

/** How far the set-up is. */
export const SetupLabel = ({ state }: { readonly state: Repository['setupState'] }) => (
  <StatusLabel kind={SETUP[state]}>{text.states[state]}</StatusLabel>
);

/** Whether the branches are protected. */
export const ProtectionLabel = ({ status }: { readonly status: Repository['protection']['status'] }) => (
  <StatusLabel kind={PROTECTION[status]}>{text.protection[status]}</StatusLabel>
);

/** Whether the managed workflow files were changed. */
export const IntegrityLabel = ({ status }: { readonly status: Repository['integrity']['status'] }) => (
  <StatusLabel kind={INTEGRITY[status]}>{text.integrity[status]}</StatusLabel>
);

/** Whether the workflow files have the current revision. */
export const WorkflowLabel = ({ status }: { readonly status: Repository['workflow']['status'] }) => (
  <StatusLabel kind={WORKFLOW[status ?? 'none']}>{text.workflow[status ?? 'none']}</StatusLabel>
);
