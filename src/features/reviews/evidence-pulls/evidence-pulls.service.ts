import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import type { Sha } from '../../../domain/facts/facts.js';
import { JobHandlers } from '../../../jobs/job-handlers.js';
import { ReleaseEvaluation } from '../../releases/evaluation/release-evaluation.service.js';
import { ReleaseRefresh } from '../../releases/evaluation/release-refresh.service.js';
import { EvidencePullsRecorder } from '../../releases/records/evidence-pulls.repository.js';
import { type EvidencePullWork, EvidencePullWorkReader } from './evidence-pull-content.service.js';
import { EvidencePullHost } from './evidence-pull-github.service.js';
import { PublishedEvidence } from './published-evidence.repository.js';

/** Why a release is judged where its evidence pull request was written, or is about to be. */
const CAUSE = { cause: 'evidence pull request', actor: 'service' };

/** Said by who writes the pull request: no job has to be asked for that. */
const WRITING = { ...CAUSE, writesPull: true };

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
