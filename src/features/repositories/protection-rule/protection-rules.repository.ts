import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import type { TenantTransaction } from '../../../database/database.js';
import type { ProtectionRule } from '../../../domain/repository/ruleset.js';

/** Stores which environments have the protection rule of the service. */
@Injectable()
export class ProtectionRulesRepository {
  constructor(private readonly clock: Clock) {}

  /** Null if the rule was never seen. */
  async find(tx: TenantTransaction, repositoryId: string): Promise<ProtectionRule | null> {
    const [row] = await tx.query<ProtectionRule>(
      `select status, environment, admins_may_bypass as "adminsMayBypass" from protection_rule where repository_id = $1`,
      [repositoryId],
    );
    return row ?? null;
  }

  /** Returns false if nothing changed. */
  async save(
    tx: TenantTransaction,
    repositoryId: string,
    { status, environment, adminsMayBypass }: ProtectionRule,
  ): Promise<boolean> {
    const changed = await tx.query(
      `insert into protection_rule as rule (org_id, repository_id, environment, status, admins_may_bypass, changed_at)
       values ($1, $2, $3, $4, $5, $6)
       on conflict (org_id, repository_id) do update
       set environment = excluded.environment, status = excluded.status, admins_may_bypass = excluded.admins_may_bypass,
         changed_at = excluded.changed_at
       where (rule.environment, rule.status, rule.admins_may_bypass)
         is distinct from (excluded.environment, excluded.status, excluded.admins_may_bypass)
       returning repository_id`,
      [tx.orgId, repositoryId, environment, status, adminsMayBypass, this.clock.now()],
    );
    return changed.length > 0;
  }

  /** Whether the rule was ever enabled, or held a deployment after it was enabled on GitHub. */
  async wasEnabled(tx: TenantTransaction, repositoryId: string): Promise<boolean> {
    const known = await tx.query(
      `select from protection_rule where repository_id = $1
       union all select from deployment_hold where repository_id = $1 limit 1`,
      [repositoryId],
    );
    return known.length > 0;
  }
}
