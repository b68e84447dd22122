import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import { Jobs } from '../../jobs/jobs.js';

/** Of a workspace's releases so many are read at once at most, so that others' have workers left, however many it has. */
const LANES = 3;

/** Asks that releases be read as far as their verdicts lack something, and thought over. */
@Injectable()
export class RefreshRequests {
  constructor(private readonly jobs: Jobs) {}

  async askFor(tx: TenantTx, releaseIds: readonly string[], cause: string): Promise<void> {
    for (const releaseId of releaseIds) {
      await this.jobs.add(
        tx,
        'refresh-release',
        { orgId: tx.orgId, releaseId, cause },
        { key: `refresh:${releaseId}`, queue: { kind: 'refresh', of: `${tx.orgId}:${laneOf(releaseId)}` } },
      );
    }
  }
}

/** Always the same one for a release: its jobs never wait for each other in two queues. */
const laneOf = (releaseId: string): number => createHash('sha256').update(releaseId).digest().readUInt8(0) % LANES;
