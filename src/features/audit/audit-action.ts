/** Everything that the audit log tells of, named `<what>.<what happened to it>`. */
export const AUDIT_ACTIONS = [
  'installation.linked',
  'installation.unlinked',
  'member.joined',
  'member.removed',
  'member.role_changed',
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
  'bootstrap.begun',
  'bootstrap.merged',
  'bootstrap.closed',
  'protection.requested',
  'protection.changed',
  'workflow_update.opened',
  'workflow_update.merged',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];
