import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import { freezesAt } from '../../domain/policy/freeze.js';
import type { Freeze } from '../../domain/policy/policy.js';
import { AdminActsReader } from '../overrides/admin-acts.reader.js';

/** Where deployments are frozen at a moment. */
export interface FreezesInForce {
  /** Of the whole workspace, by its admins. */
  readonly ofWorkspace: readonly Freeze[];
  /** Of the few repositories whose policy says so. */
  readonly byRepository: ReadonlyMap<string, readonly Freeze[]>;
}

@Injectable()
export class FreezesReader {
  constructor(private readonly acts: AdminActsReader) {}

  async listInForce(tx: TenantTx, now: Date): Promise<FreezesInForce> {
    const rows = await tx.prepared<{ readonly id: string; readonly freezes: readonly Freeze[] }>(
      'list_policy_freezes',
      `select repository_id as id, value #> '{policy,freezes}' as freezes from observation
       where kind = 'policy' and key = '' and value #> '{policy,freezes}' <> '[]'`,
      [],
    );
    const byRepository = new Map<string, readonly Freeze[]>();
    for (const { id, freezes } of rows) {
      const inForce = freezesAt(freezes, now);
      if (inForce.length > 0) byRepository.set(id, inForce);
    }
    return { ofWorkspace: freezesAt(await this.acts.listFreezesAt(tx, now), now), byRepository };
  }
}
