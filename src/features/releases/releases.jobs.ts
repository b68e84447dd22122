import { Injectable } from '@nestjs/common';
import { JobHandler } from '../../jobs/job-handlers.js';
import type { JobPayload } from '../../jobs/job.js';
import { ReleaseRefreshService } from './evaluation/release-refresh.service.js';

/** Runs the jobs that read and evaluate releases. */
@Injectable()
export class ReleasesJobs {
  constructor(private readonly refresh: ReleaseRefreshService) {}

  @JobHandler('refresh-release')
  async refreshOne({ orgId, releaseId, cause }: JobPayload<'refresh-release'>): Promise<void> {
    await this.refresh.refreshOrFail(orgId, releaseId, { cause, actor: 'service' });
  }

  /** Refreshes the stale releases of a page. */
  @JobHandler('refresh-listed-releases')
  async refreshListed({ orgId, releaseIds }: JobPayload<'refresh-listed-releases'>): Promise<void> {
    for (const releaseId of releaseIds) {
      const { failures } = await this.refresh.refresh(orgId, releaseId, { cause: 'list', actor: 'service' });
      // GitHub is unavailable. The next request for the page enqueues the job again.
      if (failures.some(({ isTransient }) => isTransient)) return;
    }
  }

  @JobHandler('invalidate-policies')
  async invalidatePolicies({ orgId }: JobPayload<'invalidate-policies'>): Promise<void> {
    await this.refresh.invalidateFacts(orgId, null, [{ kind: 'policy', key: '' }], 'organization default');
  }

  @JobHandler('read-fact')
  async readFact({ orgId, repositoryId, fact, cause }: JobPayload<'read-fact'>): Promise<void> {
    await this.refresh.readAgain(orgId, repositoryId, fact, cause);
  }
}
