import { Injectable } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { Sha } from '../../../domain/facts/facts.js';
import { ReleaseEvaluation } from '../../releases/evaluation/release-evaluation.service.js';
import { EvidencePullsRecorder } from '../../releases/records/evidence-pulls.repository.js';
import { WRITING } from './evidence-pull-cause.js';
import type { EvidencePullWork } from './evidence-pull-content.service.js';
import { PublishedEvidence } from './published-evidence.repository.js';

/** Says that the branch of an evidence pull request is about to move, before it does. */
@Injectable()
export class EvidencePullAnnouncement {
  constructor(
    private readonly database: Database,
    private readonly recorder: EvidencePullsRecorder,
    private readonly published: PublishedEvidence,
    private readonly evaluations: ReleaseEvaluation,
    private readonly clock: Clock,
  ) {}

  /**
   * Commits, before the branch moves, that it is about to. Whoever dies between the two leaves a branch that the row does
   * not describe: without this, old evidence that decides again would take the service's own commit for a stranger's.
   * The files are kept along with it, so that nothing can be approved that could not be shown again. Answers the numbers
   * of the pull requests that were given up before.
   */
  async make(orgId: OrgId, work: EvidencePullWork, sha: Sha): Promise<readonly number[]> {
    const { releaseId, branch, files } = work;
    return this.database.inTenant(orgId, async (tx) => {
      const now = this.clock.now();
      const givenUp = await this.recorder.announce(tx, { releaseId, branch, sha }, now);
      await this.published.record(tx, releaseId, files, now);
      // No verdict that is stored may rest on what the row said before.
      await this.evaluations.reevaluate(tx, releaseId, WRITING);
      return givenUp;
    });
  }
}
