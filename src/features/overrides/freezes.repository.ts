import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import type { Freeze } from '../../domain/policy/policy.js';

/** A freeze that an admin made for the whole workspace. */
export interface WorkspaceFreeze extends Freeze {
  readonly id: string;
}

interface FreezeRow {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

const COLUMNS = `id, from_day::text as "from", to_day::text as "to", reason`;
const STANDS = `lifted_at is null and to_day >= ($1 at time zone 'UTC')::date`;

/** The freezes of a workspace; one that was lifted is kept, because it held until then. */
@Injectable()
export class FreezesRepository {
  /** Those that hold or will, the earliest first. */
  async list(tx: TenantTx, now: Date): Promise<readonly WorkspaceFreeze[]> {
    return tx.query<FreezeRow>(
      `select ${COLUMNS} from deployment_freeze where ${STANDS} order by from_day, to_day, id`,
      [now],
    );
  }

  async add(tx: TenantTx, { id, from, to, reason }: WorkspaceFreeze, madeBy: number, at: Date): Promise<void> {
    await tx.query(
      `insert into deployment_freeze (org_id, id, from_day, to_day, reason, made_by, made_at)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [tx.orgId, id, from, to, reason, madeBy, at],
    );
  }

  /** Null where there is none that holds or will. */
  async lift(tx: TenantTx, id: string, liftedBy: number, now: Date): Promise<WorkspaceFreeze | null> {
    const [row] = await tx.query<FreezeRow>(
      `update deployment_freeze set lifted_by = $3, lifted_at = $1 where id = $2 and ${STANDS} returning ${COLUMNS}`,
      [now, id, liftedBy],
    );
    return row ?? null;
  }
}
