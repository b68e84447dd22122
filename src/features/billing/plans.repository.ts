import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import type { Plan } from '../../domain/billing/plan-limit.js';

/** A workspace by the login of its organization, and the plan that it is on, whether or not billing is. */
export interface WorkspacePlan {
  readonly org: string;
  readonly plan: Plan;
}

/** The plan of a workspace. */
@Injectable()
export class PlansRepository {
  /** Nobody else changes the plan, or takes room in it, until the transaction ends. */
  async lock(tx: TenantTx): Promise<WorkspacePlan> {
    const [workspace] = await tx.query<WorkspacePlan>('select login as org, plan from organization for no key update');
    if (!workspace) throw new Error('A workspace without a row has no plan.');
    return workspace;
  }

  async change(tx: TenantTx, plan: Plan): Promise<void> {
    await tx.query('update organization set plan = $1', [plan]);
  }
}
