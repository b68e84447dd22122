import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { Sha } from '../../../domain/facts/facts.js';
import { JobHandlers } from '../../../jobs/job-handlers.js';
import { ReleaseEvaluationService } from '../../releases/evaluation/release-evaluation.service.js';
import { ReleaseRefreshService } from '../../releases/evaluation/release-refresh.service.js';
import { EvidencePullsRepository } from '../../releases/records/evidence-pulls.repository.js';
import { type EvidencePullContent, EvidencePullContentService } from './evidence-pull-content.service.js';
import { EvidencePullGitHubService } from './evidence-pull-github.service.js';
import { PublishedEvidenceRepository } from './published-evidence.repository.js';

/** Why a release is judged where its evidence pull request was written, or is about to be. */
const CAUSE = { cause: 'evidence pull request', actor: 'service' };

/** Said by who writes the pull request: no job has to be asked for that. */
const WRITING = { ...CAUSE, writesPull: true };

/** Keeps the evidence pull request of a release in line with the evidence that decides. Says that the branch of an evidence pull request is about to move, before it does. */
@Injectable()
export class EvidencePullsService implements OnModuleInit {
  constructor(
    private readonly refresh: ReleaseRefreshService,
    private readonly work: EvidencePullContentService,
    private readonly host: EvidencePullGitHubService,
    private readonly recorder: EvidencePullsRepository,
    private readonly database: Database,
    private readonly handlers: JobHandlers,
    private readonly clock: Clock,
    private readonly published: PublishedEvidenceRepository,
    private readonly evaluations: ReleaseEvaluationService,
  ) {}

  onModuleInit(): void {
    this.handlers.register('refresh-evidence-pull', ({ orgId, releaseId }) => this.update(orgId, releaseId));
  }

  /** Opens the pull request or rewrites its branch, where the release waits for it. */
  async update(orgId: OrgId, releaseId: string): Promise<void> {
    const { evaluation } = await this.refresh.refresh(orgId, releaseId, WRITING);
    const work = evaluation && (await this.work.find(orgId, evaluation));
    if (!work) return;
    const { sha: headSha, files } = (await this.host.findExistingCommit(work)) ?? (await this.host.commit(work));
    const givenUp = await this.announce(orgId, work, headSha);
    const { number, url } = await this.host.publish(work, headSha);
    // Before it is recorded: whoever dies in between leaves something to do, and the next try asks again.
    await this.host.requestReviews(work, number);
    const { repositoryId, branch, baseRef } = work;
    const { candidateSha, setDigest } = work.content;
    const place = { releaseId, repositoryId, number, url, branch, baseRef };
    const written = { ...place, headSha, files, candidateSha, setDigest, givenUp };
    await this.database.inTenant(orgId, (tx) => this.recorder.record(tx, written, this.clock.now()));
    const hints = [{ kind: 'pull', key: String(number) } as const, { kind: 'reviews', key: String(number) } as const];
    await this.refresh.refresh(orgId, releaseId, CAUSE, { hints });
  }

  /**
   * Commits, before the branch moves, that it is about to. Whoever dies between the two leaves a branch that the row does
   * not describe: without this, old evidence that decides again would take the service's own commit for a stranger's.
   * The files are kept along with it, so that nothing can be approved that could not be shown again. Answers the numbers
   * of the pull requests that were given up before.
   */
  async announce(orgId: OrgId, work: EvidencePullContent, sha: Sha): Promise<readonly number[]> {
    const { releaseId, branch, files } = work;
    return this.database.inTenant(orgId, async (tx) => {
      const now = this.clock.now();
      const givenUp = await this.recorder.createPendingCommit(tx, { releaseId, branch, sha }, now);
      await this.published.record(tx, releaseId, files, now);
      // No verdict that is stored may rest on what the row said before.
      await this.evaluations.evaluateAndSave(tx, releaseId, WRITING);
      return givenUp;
    });
  }
}
