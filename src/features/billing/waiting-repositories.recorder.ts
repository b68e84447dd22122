import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import { PlanRoom } from '../../workspaces/repository-quota.repository.js';
import { RefreshRequests } from '../releases/evaluation/refresh-requests.recorder.js';
import { ReleasesReader } from '../releases/records/releases.reader.js';

/** The repositories that wait for room in their workspace's plan. */
@Injectable()
export class WaitingRepositories {
  constructor(
    private readonly room: PlanRoom,
    private readonly releases: ReleasesReader,
    private readonly refreshes: RefreshRequests,
  ) {}

  /** Makes as many of them managed as there is room for; jobs think over the releases whose gate was closed for it. */
  async admit(tx: TenantTx): Promise<void> {
    for (const repositoryId of await this.room.takeWaiting(tx)) {
      const active = await this.releases.listActive(tx, repositoryId);
      await this.refreshes.askFor(
        tx,
        active.map(({ id }) => id),
        'plan',
      );
    }
  }
}
