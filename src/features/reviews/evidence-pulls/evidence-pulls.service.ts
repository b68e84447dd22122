import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { JobHandlers } from '../../../jobs/job-handlers.js';
import { ReleaseRefresh } from '../../releases/evaluation/release-refresh.service.js';
import { EvidencePullsRecorder } from '../../releases/records/evidence-pulls.repository.js';
import { EvidencePullAnnouncement } from './evidence-pull-announcement.service.js';
import { CAUSE, WRITING } from './evidence-pull-cause.js';
import { EvidencePullWorkReader } from './evidence-pull-content.service.js';
import { EvidencePullHost } from './evidence-pull-github.service.js';

/** Keeps the evidence pull request of a release in line with the evidence that decides. */
@Injectable()
export class EvidencePulls implements OnModuleInit {
  constructor(
    private readonly refresh: ReleaseRefresh,
    private readonly work: EvidencePullWorkReader,
    private readonly announcement: EvidencePullAnnouncement,
    private readonly host: EvidencePullHost,
    private readonly recorder: EvidencePullsRecorder,
    private readonly database: Database,
    private readonly handlers: JobHandlers,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.handlers.register('refresh-evidence-pull', ({ orgId, releaseId }) => this.bringUpToDate(orgId, releaseId));
  }

  /** Opens the pull request or rewrites its branch, where the release waits for it. */
  async bringUpToDate(orgId: OrgId, releaseId: string): Promise<void> {
    const { evaluation } = await this.refresh.refresh(orgId, releaseId, WRITING);
    const work = evaluation && (await this.work.find(orgId, evaluation));
    if (!work) return;
    const { sha: headSha, files } = (await this.host.findPlaced(work)) ?? (await this.host.commit(work));
    const givenUp = await this.announcement.make(orgId, work, headSha);
    const { number, url } = await this.host.publish(work, headSha);
    // Before it is recorded: whoever dies in between leaves something to do, and the next try asks again.
    await this.host.askForReviews(work, number);
    const { repositoryId, branch, baseRef } = work;
    const { candidateSha, setDigest } = work.content;
    const place = { releaseId, repositoryId, number, url, branch, baseRef };
    const written = { ...place, headSha, files, candidateSha, setDigest, givenUp };
    await this.database.inTenant(orgId, (tx) => this.recorder.record(tx, written, this.clock.now()));
    const hints = [{ kind: 'pull', key: String(number) } as const, { kind: 'reviews', key: String(number) } as const];
    await this.refresh.refresh(orgId, releaseId, CAUSE, { hints });
  }
}
