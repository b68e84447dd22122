import type { WorkspacePart } from '../../events/events.repository.js';

/** The actions in the audit log, named `<object>.<event>`. They are part of hashed entries and must not change. */
export const AUDIT_ACTIONS = [
  'installation.linked',
  'installation.unlinked',
  'member.joined',
  'member.removed',
  'member.role_changed',
  'member.auditor_granted',
  'member.auditor_revoked',
  'invite.created',
  'invite.revoked',
  'invite.accepted',
  'api_key.created',
  'api_key.revoked',
  'personal_key.created',
  'personal_key.revoked',
  'plan.upgrade_requested',
  'plan.request_withdrawn',
  'plan.upgraded',
  'plan.upgrade_rejected',
  'plan.downgraded',
  'policy_default.changed',
  'protection.requested',
  'protection.changed',
  'protection_rule.enabled',
  'bootstrap.begun',
  'bootstrap.merged',
  'bootstrap.closed',
  'repository.tampered',
  'repository.restored',
  'release.made',
  'release.started',
  'artifact.stated',
  'artifact.verified',
  'evidence_pull.reopened',
  'freeze.made',
  'freeze.lifted',
  'waiver.requested',
  'waiver.confirmed',
  'waiver.withdrawn',
  'break_glass.requested',
  'break_glass.confirmed',
  'break_glass.withdrawn',
  'deployment.recorded',
  'deployment.reported',
  'running.changed',
  'promotion.sent',
  'promotion.unknown',
  'issue.linked',
  'issue.unlinked',
  'issue.assigned',
  'issue.unassigned',
  'workflow_update.opened',
  'workflow_update.merged',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** The parts of a workspace whose changes are actions, by the object of the action. */
const PARTS: Readonly<Record<string, WorkspacePart>> = {
  member: 'members',
  invite: 'members',
  api_key: 'keys',
  personal_key: 'keys',
  plan: 'plan',
  freeze: 'freezes',
};

/** Returns the part of the workspace that the action changes; null if it concerns a repository or a release. */
export const changedPart = (action: AuditAction): WorkspacePart | null =>
  PARTS[action.slice(0, action.indexOf('.'))] ?? null;

/** Who performed the action: a user, with the login at that time, or the service itself. */
export type AuditActor =
  | { readonly type: 'person'; readonly id: number; readonly login: string }
  | { readonly type: 'service' };
