import { ApiProperty } from '@nestjs/swagger';
import { PROTECTION_RULE_STATUSES, type ProtectionRuleStatus } from '../../../domain/repository/protection-rule.js';

/** Whether GitHub holds the deployments of a repository until the gate is open. */
export class ProtectionRuleDto {
  /**
   * `active`: the environment has the rule. `missing`: the rule was taken off. `advisory`: the plan of the organization on GitHub has
   * no such rules. `unknown`: the rule was never enabled.
   */
  @ApiProperty({ enum: PROTECTION_RULE_STATUSES, example: 'active' })
  status!: ProtectionRuleStatus;

  /** The environment of the rule: the target of the policy. Null if the rule was never enabled. */
  @ApiProperty({ type: String, nullable: true, example: 'production' })
  environment!: string | null;

  /** Whether administrators may let a deployment run that the rule holds; null if GitHub does not return it. */
  @ApiProperty({ type: Boolean, nullable: true, example: false })
  adminsMayBypass!: boolean | null;
}
