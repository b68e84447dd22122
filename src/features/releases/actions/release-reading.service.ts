import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database, type Viewer } from '../../../database/database.js';
import { noSuchRelease } from '../../../http/errors/release-refusal.js';
import { notReached } from '../../../http/errors/repository-refusal.js';
import { JobHandlers } from '../../../jobs/job-handlers.js';
import { Jobs } from '../../../jobs/jobs.js';
import { ReposReader } from '../../../workspaces/repos.reader.js';
import { LiveLook } from '../details/live-look.service.js';
import { VisibleReleases } from '../records/visible-releases.reader.js';

/** Has releases read from GitHub anew, whatever the age of what is known of them. */
@Injectable()
export class ReleaseReading implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly visible: VisibleReleases,
    private readonly repos: ReposReader,
    private readonly live: LiveLook,
    private readonly jobs: Jobs,
    private readonly handlers: JobHandlers,
  ) {}

  onModuleInit(): void {
    this.handlers.register('read-release', ({ orgId, releaseId }) => this.live.lookOrFail(orgId, releaseId, 'refresh'));
  }

  /**
   * By a job; asking twice while it waits is asking once. Refuses with `not_found` what the viewer may not read, and with
   * `conflict` what the app does not reach.
   */
  async askFor(viewer: Viewer, releaseId: string): Promise<void> {
    await this.visible.require(viewer, releaseId);
    const { orgId } = viewer;
    await this.database.inTenant(orgId, async (tx) => {
      const repository = await this.repos.findByRelease(tx, releaseId);
      if (!repository) throw noSuchRelease();
      if (!repository.ref) throw notReached();
      await this.jobs.enqueue(tx, 'read-release', { orgId, releaseId });
    });
  }
}
