import { Injectable, type OnModuleInit } from '@nestjs/common';
import { JobHandlers } from '../../jobs/job-handlers.js';
import { ReleaseRefreshService } from './evaluation/release-refresh.service.js';

/** Runs the jobs that read and evaluate releases. */
@Injectable()
export class ReleaseJobs implements OnModuleInit {
  constructor(
    private readonly handlers: JobHandlers,
    private readonly refresh: ReleaseRefreshService,
  ) {}

  onModuleInit(): void {
    this.handlers.register('refresh-release', ({ orgId, releaseId, cause }) =>
      this.refresh.refreshOrFail(orgId, releaseId, { cause, actor: 'service' }),
    );
    this.handlers.register('invalidate-policies', ({ orgId }) =>
      this.refresh.invalidateFacts(orgId, null, [{ kind: 'policy', key: '' }], 'organization default'),
    );
    this.handlers.register('read-fact', ({ orgId, repositoryId, fact, cause }) =>
      this.refresh.readAgain(orgId, repositoryId, fact, cause),
    );
  }
}

/** Runs the job that refreshes the stale releases of a page. */
@Injectable()
export class ReleasesJobs implements OnModuleInit {
  constructor(
    private readonly handlers: JobHandlers,
    private readonly releaseRefresh: ReleaseRefreshService,
  ) {}

  onModuleInit(): void {
    this.handlers.register('refresh-listed-releases', async ({ orgId, releaseIds }) => {
      for (const releaseId of releaseIds) {
        const { failures } = await this.releaseRefresh.refresh(orgId, releaseId, { cause: 'list', actor: 'service' });
        // GitHub is unavailable. The next request for the page enqueues the job again.
        if (failures.some(({ isTransient }) => isTransient)) return;
      }
    });
  }
}
