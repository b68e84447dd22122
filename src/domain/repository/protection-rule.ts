export const PROTECTION_RULE_STATUSES = ['active', 'missing', 'advisory', 'unknown'] as const;
export type ProtectionRuleStatus = (typeof PROTECTION_RULE_STATUSES)[number];

/** The protection rule of the service on the environment that a repository deploys to. */
export interface ProtectionRule {
  readonly status: Exclude<ProtectionRuleStatus, 'unknown'>;
  readonly environment: string;
  /** Null if GitHub does not report it. */
  readonly adminsMayBypass: boolean | null;
}
