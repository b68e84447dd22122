import type { Schema } from '../../api/client.js';
import { StatusLabel, type StatusLook } from '../../release-ui/status-label.js';
import { text } from '../../words/en/repositories.js';

type Repository = Schema<'Repository'>;

const SETUP: Readonly<Record<Repository['setupState'], StatusLook>> = {
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

const PROTECTION: Readonly<Record<Repository['protection']['status'], StatusLook>> = {
  unknown: 'neutral',
  pending: 'running',
  active: 'good',
  drifted: 'blocked',
  failed: 'failed',
  advisory: 'neutral',
};

const INTEGRITY: Readonly<Record<Repository['integrity']['status'], StatusLook>> = {
  intact: 'good',
  tampered: 'blocked',
  unwatched: 'neutral',
};

const WORKFLOW: Readonly<Record<NonNullable<Repository['workflow']['status']> | 'none', StatusLook>> = {
  UP_TO_DATE: 'good',
  UPDATE_AVAILABLE: 'waiting',
  PR_OPEN: 'waiting',
  none: 'neutral',
};

/** How far the set-up is. */
export const SetupLabel = ({ state }: { readonly state: Repository['setupState'] }) => (
  <StatusLabel look={SETUP[state]}>{text.states[state]}</StatusLabel>
);

/** Whether the branches are protected. */
export const ProtectionLabel = ({ status }: { readonly status: Repository['protection']['status'] }) => (
  <StatusLabel look={PROTECTION[status]}>{text.protection[status]}</StatusLabel>
);

/** Whether the managed workflow files were changed. */
export const IntegrityLabel = ({ status }: { readonly status: Repository['integrity']['status'] }) => (
  <StatusLabel look={INTEGRITY[status]}>{text.integrity[status]}</StatusLabel>
);

/** Whether the workflow files have the current revision. */
export const WorkflowLabel = ({ status }: { readonly status: Repository['workflow']['status'] }) => (
  <StatusLabel look={WORKFLOW[status ?? 'none']}>{text.workflow[status ?? 'none']}</StatusLabel>
);
