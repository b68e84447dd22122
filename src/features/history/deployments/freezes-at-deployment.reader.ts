import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../../database/database.js';
import { freezeConditions } from '../../../domain/release/freeze-conditions.js';
import { AdminActsReader } from '../../releases/evaluation/admin-acts.reader.js';
import { DeploymentsRepository, type EarlierDecision } from './deployments.repository.js';

/** Tells whether a deployment began in a freeze. */
@Injectable()
export class FreezesAtDeployment {
  constructor(
    private readonly acts: AdminActsReader,
    private readonly deployments: DeploymentsRepository,
  ) {}

  /**
   * Whether a freeze held that the decision had not set aside for its release: one of the policy of the decision, which may
   * have been struck out since, or of the workspace. One that was named after the deployment began held nothing back.
   */
  async held(tx: TenantTx, began: Date, decision: EarlierDecision | null): Promise<boolean> {
    const setAside = new Set(decision?.overrides.flatMap(({ conditions }) => conditions.map(({ detail }) => detail)));
    const decided = decision ? await this.deployments.listFreezesOf(tx, decision.id) : [];
    const freezes = [...decided, ...(await this.acts.listFreezesAt(tx, began))];
    return freezeConditions(freezes, began).some(({ detail }) => !setAside.has(detail));
  }
}
