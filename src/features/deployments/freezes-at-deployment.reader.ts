import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import { freezeConditions } from '../../domain/release/freeze-conditions.js';
import { KnownPolicyReader } from '../observations/known-policy.reader.js';
import { AdminActsReader } from '../overrides/admin-acts.reader.js';
import { DeploymentsRepository, type EarlierDecision } from './deployments.repository.js';

/** Tells whether a deployment began in a freeze. */
@Injectable()
export class FreezesAtDeployment {
  constructor(
    private readonly policies: KnownPolicyReader,
    private readonly acts: AdminActsReader,
    private readonly deployments: DeploymentsRepository,
  ) {}

  /**
   * Whether a freeze held that the decision had not set aside for its release, by the policy of now or by that of the
   * decision, which may name one that was struck out since. Without a policy nobody knows.
   */
  async held(tx: TenantTx, repositoryId: string, began: Date, decision: EarlierDecision | null): Promise<boolean> {
    const policy = await this.policies.find(tx, repositoryId);
    if (!policy) return true;
    const setAside = new Set(decision?.overrides.flatMap(({ conditions }) => conditions.map(({ detail }) => detail)));
    const decided = decision ? await this.deployments.listFreezesOf(tx, decision.id) : [];
    const freezes = [...policy.freezes, ...decided, ...(await this.acts.listFreezesAt(tx, began))];
    return freezeConditions(freezes, began).some(({ detail }) => !setAside.has(detail));
  }
}
