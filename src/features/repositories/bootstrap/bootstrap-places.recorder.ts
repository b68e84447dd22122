import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../../database/database.js';
import { PlanRoom } from '../../../workspaces/repository-quota.repository.js';
import { RefreshRequests } from '../../releases/evaluation/refresh-requests.recorder.js';
import { ReleasesReader } from '../../releases/records/releases.reader.js';
import { planIsFull } from './bootstrap.errors.js';

/** The places of the plan that bootstraps hold, from the moment at which they begin. */
@Injectable()
export class BootstrapPlaces {
  constructor(
    private readonly room: PlanRoom,
    private readonly releases: ReleasesReader,
    private readonly refreshes: RefreshRequests,
  ) {}

  /** Refuses where `take` would refuse as things are now. */
  async refuseWithoutRoom(tx: TenantTx): Promise<void> {
    const { used, limit } = await this.room.use(tx);
    if (limit !== null && used >= limit) throw planIsFull();
  }

  /** True where the repository takes a place just now, false where it had one. */
  async take(tx: TenantTx, repositoryId: string): Promise<boolean> {
    if (!(await this.room.take(tx, repositoryId))) {
      if (await this.room.holds(tx, repositoryId)) return false;
      throw planIsFull();
    }
    // Rules of its own may have governed nothing for want of a place.
    const active = await this.releases.listActive(tx, repositoryId);
    await this.refreshes.askFor(
      tx,
      active.map(({ id }) => id),
      'plan',
    );
    return true;
  }
}
