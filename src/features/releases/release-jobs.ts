import { Injectable, type OnModuleInit } from '@nestjs/common';
import { JobHandlers } from '../../jobs/job-handlers.js';
import { ReleaseRefresh } from './release-refresh.service.js';

/** The work on releases that is put off. */
@Injectable()
export class ReleaseJobs implements OnModuleInit {
  constructor(
    private readonly handlers: JobHandlers,
    private readonly refresh: ReleaseRefresh,
  ) {}

  onModuleInit(): void {
    this.handlers.register('refresh-release', ({ orgId, releaseId, cause }) =>
      this.refresh.refreshOrFail(orgId, releaseId, { cause, actor: 'service' }),
    );
    // GitHub tells more of the jobs of runs from now on, or less.
    this.handlers.register('doubt-jobs', ({ orgId }) =>
      this.refresh.doubtEverywhere(orgId, [{ kind: 'run_jobs', key: null }], 'permissions'),
    );
    this.handlers.register('read-fact', ({ orgId, repositoryId, fact, cause }) =>
      this.refresh.readAgain(orgId, repositoryId, fact, cause),
    );
  }
}
