import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { Sha } from '../../../domain/facts/facts.js';
import { EventsRepository } from '../../../events/events.repository.js';
import { JobHandler } from '../../../jobs/job-handlers.js';
import type { JobPayload } from '../../../jobs/job.js';
import { StorageQuotaService } from '../../evidence/storage/storage-quota.service.js';
import { ReleaseEvaluationService } from '../../releases/evaluation/release-evaluation.service.js';
import { ReleaseRefreshService } from '../../releases/evaluation/release-refresh.service.js';
import { EvidencePullsRepository } from '../../releases/records/evidence-pulls.repository.js';
import { type EvidencePullContent, EvidencePullContentService } from './evidence-pull-content.service.js';
import { EvidencePullGitHubService } from './evidence-pull-github.service.js';

/** The cause of evaluations around the write of an evidence pull request. */
const CAUSE = { cause: 'evidence pull request', actor: 'service' };

/** The caller writes the pull request, so no job is enqueued for that. */
const WRITING = { ...CAUSE, writesPull: true };

/**
 * Updates the evidence pull request of a release to the effective evidence set, and announces each move of its branch before it
 * happens.
 */
@Injectable()
export class EvidencePullsService {
  constructor(
    private readonly refresh: ReleaseRefreshService,
    private readonly contents: EvidencePullContentService,
    private readonly github: EvidencePullGitHubService,
    private readonly pulls: EvidencePullsRepository,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly quota: StorageQuotaService,
    private readonly events: EventsRepository,
    private readonly evaluations: ReleaseEvaluationService,
  ) {}

  /** Opens the pull request or rewrites its branch if the release waits for it. */
  @JobHandler('update-evidence-pull')
  async update({ orgId, releaseId }: JobPayload<'update-evidence-pull'>): Promise<void> {
    const { evaluation } = await this.refresh.refresh(orgId, releaseId, WRITING);
    const work = evaluation && (await this.contents.find(orgId, evaluation));
    if (!work) return;
    const { sha: headSha, files } = (await this.github.findExistingCommit(work)) ?? (await this.github.commit(work));
    const givenUp = await this.announce(orgId, work, headSha);
    const { number, url } = await this.github.publish(work, headSha);
    // Requested before the record: after a crash in between, the next attempt requests the reviews again.
    await this.github.requestReviews(work, number);
    const { repositoryId, branch, baseRef } = work;
    const { candidateSha, setDigest } = work.content;
    const location = { releaseId, repositoryId, number, url, branch, baseRef };
    const record = { ...location, headSha, files, candidateSha, setDigest, givenUp };
    await this.database.inTenant(orgId, async (tx) => {
      if (!(await this.pulls.record(tx, record, this.clock.now()))) return;
      await this.events.append(tx, { type: 'review.updated', repositoryId, milestoneId: releaseId });
    });
    const hints = [{ kind: 'pull', key: String(number) } as const, { kind: 'reviews', key: String(number) } as const];
    await this.refresh.refresh(orgId, releaseId, CAUSE, { hints });
  }

  /**
   * Commits the pending commit before the branch moves. After a crash in between, the branch would otherwise point to a commit
   * that the row does not list, and the service would later treat its own commit as foreign. The files are stored in the same
   * transaction, so that everything that can be approved can be shown later. Returns the numbers of the pull requests that were
   * abandoned before.
   */
  async announce(orgId: OrgId, work: EvidencePullContent, sha: Sha): Promise<readonly number[]> {
    const { releaseId, branch, files } = work;
    return this.database.inTenant(orgId, async (tx) => {
      const now = this.clock.now();
      const givenUp = await this.pulls.createPendingCommit(tx, { releaseId, branch, sha }, now);
      const storedBytes = await this.pulls.saveFiles(tx, releaseId, files, now);
      if (storedBytes > 0) await this.quota.count(tx, storedBytes);
      // The stored verdict must not use the previous state of the row.
      await this.evaluations.evaluateAndSave(tx, releaseId, WRITING);
      return givenUp;
    });
  }
}
