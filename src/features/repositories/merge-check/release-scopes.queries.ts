import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';

import type { ReleaseScope } from '../../../domain/repository/merge-check.js';

/** Reads the issues of the active releases of a repository, by stored facts. */
@Injectable()
export class ReleaseScopesQueries {
  /** Lists the scopes of all releases that are neither shipped nor cancelled. */
  async list(tx: TenantTransaction, repositoryId: string): Promise<readonly ReleaseScope[]> {
    return tx.query<ReleaseScope>(
      `select r.version, r.stage, r.milestone_number as "milestoneNumber", array(
         select (issue ->> 'number')::int
         from observation o, jsonb_array_elements(o.value) as issue
         where o.repository_id = r.repository_id and o.kind = 'issues' and o.key = r.milestone_number::text) as issues
       from release r
       where r.repository_id = $1 and r.deleted_at is null and r.shipped_at is null and r.cancelled_at is null
       order by r.version, r.id`,
      [repositoryId],
    );
  }
}
