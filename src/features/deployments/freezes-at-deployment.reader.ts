import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import type { Freeze } from '../../domain/policy/policy.js';
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

  /** Whether a freeze held that the decision had not set aside for its release. Without a policy nobody knows. */
  async held(tx: TenantTx, repositoryId: string, began: Date, decision: EarlierDecision | null): Promise<boolean> {
    return this.anyOf(tx, repositoryId, began, { decision, besides: [] });
  }

  /** The same of what may be told long after: what the policy of the decision named held, also where it is struck out since. */
  async heldThen(tx: TenantTx, repositoryId: string, began: Date, decision: EarlierDecision): Promise<boolean> {
    const besides = await this.deployments.listFreezesOf(tx, decision.id);
    return this.anyOf(tx, repositoryId, began, { decision, besides });
  }

  private async anyOf(
    tx: TenantTx,
    repositoryId: string,
    began: Date,
    { decision, besides }: { readonly decision: EarlierDecision | null; readonly besides: readonly Freeze[] },
  ): Promise<boolean> {
    const policy = await this.policies.find(tx, repositoryId);
    if (!policy) return true;
    const setAside = new Set(decision?.overrides.flatMap(({ conditions }) => conditions.map(({ detail }) => detail)));
    const freezes = [...policy.freezes, ...besides, ...(await this.acts.listFreezesAt(tx, began))];
    return freezeConditions(freezes, began).some(({ detail }) => !setAside.has(detail));
  }
}
