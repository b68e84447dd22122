import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import type { TenantTx } from '../../../database/database.js';
import type { RepositoryCard } from './repository-card.js';

const MINUTE_MS = 60_000;
/** Facts live as long as that. */
const LIFETIME_MS = 20 * MINUTE_MS;
/** What a run just before did not mend, another one right after does not either. */
const PAUSE_MS = 5 * MINUTE_MS;

/** Tells whether a page showed repositories that nobody has looked at for too long. */
@Injectable()
export class StaleSyncs {
  constructor(private readonly clock: Clock) {}

  /** The installation that is to be read anew; null where there is nothing to read, or it was begun just now. */
  async findInstallation(tx: TenantTx, shown: readonly RepositoryCard[]): Promise<number | null> {
    const now = this.clock.now().getTime();
    const isStale = ({ setupState, lastSyncedAt }: RepositoryCard): boolean =>
      setupState !== 'REMOVED' && setupState !== 'SUSPENDED' && (lastSyncedAt?.getTime() ?? 0) < now - LIFETIME_MS;
    if (!shown.some(isStale)) return null;
    const [row] = await tx.query<{ readonly installation_id: string }>(
      `select installation_id from organization
       where installation_id is not null and suspended_at is null and not exists (select from sync_run where begun_at > $1)`,
      [new Date(now - PAUSE_MS)],
    );
    return row ? Number(row.installation_id) : null;
  }
}
