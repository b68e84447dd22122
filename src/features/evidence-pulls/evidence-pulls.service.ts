import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../clock/clock.js';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import type { Sha } from '../../domain/release/facts.js';
import { JobHandlers } from '../../jobs/job-handlers.js';
import { EvidencePullsRecorder } from '../releases/evidence-pulls.recorder.js';
import { ReleaseEvaluation } from '../releases/release-evaluation.service.js';
import { ReleaseRefresh } from '../releases/release-refresh.service.js';
import { EvidencePullHost } from './evidence-pull-host.service.js';
import { EvidencePullWorkReader, type EvidencePullWork } from './evidence-pull-work.reader.js';

const CAUSE = { cause: 'evidence pull request', actor: 'service' };
/** Said by who writes the pull request: no job has to be asked for that. */
const WRITING = { ...CAUSE, writesPull: true };

/** Keeps the evidence pull request of a release in line with the evidence that decides. */
@Injectable()
export class EvidencePulls implements OnModuleInit {
  constructor(
    private readonly refresh: ReleaseRefresh,
    private readonly evaluations: ReleaseEvaluation,
    private readonly work: EvidencePullWorkReader,
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
    const givenUp = await this.announce(orgId, work, headSha);
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

  /**
   * Commits, before the branch moves, that it is about to. Whoever dies between the two leaves a branch that the row does
   * not describe: without this, old evidence that decides again would take the service's own commit for a stranger's.
   */
  private async announce(orgId: OrgId, { releaseId, branch }: EvidencePullWork, sha: Sha): Promise<readonly number[]> {
    return this.database.inTenant(orgId, async (tx) => {
      const givenUp = await this.recorder.announce(tx, { releaseId, branch, sha }, this.clock.now());
      // No verdict that is stored may rest on what the row said before.
      await this.evaluations.reevaluate(tx, releaseId, WRITING);
      return givenUp;
    });
  }
}
