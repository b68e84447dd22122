import { Injectable } from '@nestjs/common';
import { roleMissing } from '../../../auth/refusal.js';
import type { TenantTx } from '../../../database/database.js';

/** The office of an admin, asked for in the transaction of what it is needed for. */
@Injectable()
export class AdminOffice {
  /**
   * Throws `forbidden` where the person is an admin no more: they may have been demoted or removed since their request was
   * let in. Whoever wants to do that now waits until the transaction ends.
   */
  async hold(tx: TenantTx, person: number): Promise<void> {
    const held = await tx.query(`select from member where person = $1 and role = 'admin' for share`, [person]);
    if (held.length === 0) throw roleMissing('admin');
  }
}
