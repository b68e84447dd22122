import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../../database/database.js';
import type { Observation } from '../../../domain/facts/facts.js';
import type { Policy } from '../../../domain/policy/policy.js';
import { ObservationsReader } from './observations.reader.js';

/** Which policy a repository was seen to have last, however long ago. */
@Injectable()
export class KnownPolicyReader {
  constructor(private readonly observations: ObservationsReader) {}

  /** Null where none was seen, or one that does not validate. */
  async find(tx: TenantTx, repositoryId: string): Promise<Policy | null> {
    const [observation] = await this.observations.list(tx, repositoryId, [{ kind: 'policy', key: '' }]);
    const state = (observation as Observation<'policy'> | undefined)?.value;
    return state?.status === 'valid' ? state.policy : null;
  }
}
