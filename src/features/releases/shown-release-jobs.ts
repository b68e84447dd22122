import { Injectable, type OnModuleInit } from '@nestjs/common';
import { JobHandlers } from '../../jobs/job-handlers.js';
import { ReleaseRefresh } from './evaluation/release-refresh.service.js';

/** Reads releases anew that a page showed. */
@Injectable()
export class ShownReleaseJobs implements OnModuleInit {
  constructor(
    private readonly handlers: JobHandlers,
    private readonly releases: ReleaseRefresh,
  ) {}

  onModuleInit(): void {
    this.handlers.register('refresh-shown', async ({ orgId, releaseIds }) => {
      for (const releaseId of releaseIds) {
        const { failures } = await this.releases.refresh(orgId, releaseId, { cause: 'list', actor: 'service' });
        // The host is away: whoever looks at the page again asks again.
        if (failures.some(({ isPassing }) => isPassing)) return;
      }
    });
  }
}
