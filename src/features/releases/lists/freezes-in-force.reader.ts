import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../../database/database.js';
import { freezesAt } from '../../../domain/policy/freeze.js';
import type { Freeze } from '../../../domain/policy/policy.js';
import { freezesStandingAt } from '../evaluation/admin-acts.reader.js';

/** Where deployments are frozen at a moment. */
export interface FreezesInForce {
  /** Of the whole workspace, by its admins. */
  readonly ofWorkspace: readonly Freeze[];
  /** Of the few repositories whose policy says so. */
  readonly byRepository: ReadonlyMap<string, readonly Freeze[]>;
}

interface StoredFreezes {
  readonly of_workspace: readonly Freeze[];
  readonly by_repository: readonly { readonly id: string; readonly freezes: readonly Freeze[] }[];
}

@Injectable()
export class FreezesReader {
  async listInForce(tx: TenantTx, now: Date): Promise<FreezesInForce> {
    const [stored] = await tx.prepared<StoredFreezes>(
      'list_freezes',
      `select ${freezesStandingAt('$1::timestamptz')} as of_workspace, (
         select coalesce(jsonb_agg(jsonb_build_object('id', repository_id, 'freezes', value #> '{policy,freezes}')), '[]')
         from observation where kind = 'policy' and key = '' and value #> '{policy,freezes}' <> '[]') as by_repository`,
      [now],
    );
    if (!stored) throw new TypeError('A select of two values has a row.');
    const byRepository = new Map<string, readonly Freeze[]>();
    for (const { id, freezes } of stored.by_repository) {
      const inForce = freezesAt(freezes, now);
      if (inForce.length > 0) byRepository.set(id, inForce);
    }
    return { ofWorkspace: freezesAt(stored.of_workspace, now), byRepository };
  }
}
