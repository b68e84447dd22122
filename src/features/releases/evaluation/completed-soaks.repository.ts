import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';
import type { CompletedSoak } from '../../../domain/release/environment-soak.js';

/** Stores the completed soaks of releases. They never change. */
@Injectable()
export class CompletedSoaksRepository {
  /** Lists the completed soaks of all candidates of the release. */
  async list(tx: TenantTransaction, releaseId: string): Promise<readonly CompletedSoak[]> {
    const rows = await tx.queryPrepared<Omit<CompletedSoak, 'from' | 'until'> & Record<'from' | 'until', Date>>(
      'list_completed_soaks',
      `select environment, commit_sha as "commitSha", began_at as "from", ended_at as until from completed_soak
       where release_id = $1 order by ended_at, began_at, environment, commit_sha`,
      [releaseId],
    );
    return rows.map(({ from, until, ...soak }) => ({ ...soak, from: from.getTime(), until: until.getTime() }));
  }

  /** Adds soaks. Does nothing for those that are stored already. */
  async add(tx: TenantTransaction, releaseId: string, soaks: readonly CompletedSoak[]): Promise<void> {
    for (const { environment, commitSha, from, until } of soaks) {
      await tx.query(
        `insert into completed_soak (org_id, release_id, environment, commit_sha, began_at, ended_at)
         values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
        [tx.orgId, releaseId, environment, commitSha, new Date(from), new Date(until)],
      );
    }
  }
}
