import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../../database/database.js';
import type { Stage } from '../../../domain/release/stage.js';

/** A change of stage. */
export interface LoggedTransition {
  /** Null where it was the first verdict of the release. */
  readonly from: Stage | null;
  readonly to: Stage;
  readonly cause: string;
  readonly actor: string;
  readonly at: Date;
}

/** Which stages a release has gone through. */
@Injectable()
export class TransitionLog {
  /** Whole, the oldest first. */
  async list(tx: TenantTx, releaseId: string): Promise<readonly LoggedTransition[]> {
    return tx.query<LoggedTransition>(
      `select from_stage as "from", to_stage as "to", cause, actor, at from stage_transition
       where release_id = $1 order by id`,
      [releaseId],
    );
  }
}
