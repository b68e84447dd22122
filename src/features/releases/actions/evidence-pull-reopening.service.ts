import { Injectable } from '@nestjs/common';
import type { Member } from '../../../auth/caller.js';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTx } from '../../../database/database.js';
import { noSuchRelease } from '../../../http/errors/release-refusal.js';
import { notReached } from '../../../http/errors/repository-refusal.js';
import { AuditRecorder } from '../../audit/audit.recorder.js';
import { LiveLook, type Verification } from '../details/live-look.service.js';
import { type Judgement, ReleaseEvaluation } from '../evaluation/release-evaluation.service.js';
import { EvidencePullsRecorder } from '../records/evidence-pulls.repository.js';
import { VisibleReleases } from '../records/visible-releases.reader.js';
import {
  cancelledRelease,
  notEvidencing,
  pullIsOpened,
  pullNotVerified,
  pullStands,
  shippedAlready,
} from './release-actions.errors.js';

/** Conditions that the service clears by itself: it is about to open or to rewrite the pull request. */
const UNDER_WAY: readonly string[] = [
  'evidence_pull_pending',
  'evidence_pull_outdated',
  'evidence_pull_merged_unapproved',
];

/** Has evidence pull requests opened again that somebody closed without a merge. */
@Injectable()
export class EvidencePullReopening {
  constructor(
    private readonly database: Database,
    private readonly visible: VisibleReleases,
    private readonly live: LiveLook,
    private readonly evaluations: ReleaseEvaluation,
    private readonly pulls: EvidencePullsRecorder,
    private readonly audit: AuditRecorder,
    private readonly clock: Clock,
  ) {}

  /**
   * Once it returns, another pull request is opened whatever happens to the service. Whether there is anything to open
   * again is judged by what GitHub says now.
   */
  async reopen(member: Member, releaseId: string): Promise<void> {
    await this.visible.require(member.viewer, releaseId);
    const verification = await this.live.look(member.orgId, releaseId);
    await this.database.inTenant(member.orgId, async (tx) => {
      const judgement = await this.evaluations.judge(tx, releaseId);
      if (!judgement) throw noSuchRelease();
      await this.replace(tx, member, judgement, closedPullOf(judgement, verification));
    });
  }

  /** The job that opens the other one is asked for by the verdict, as whenever there is none. */
  private async replace(tx: TenantTx, { person }: Member, { release }: Judgement, number: number): Promise<void> {
    await this.pulls.abandon(tx, release.id, number, this.clock.now());
    await this.evaluations.reevaluate(tx, release.id, { cause: 'evidence-pr', actor: person.login });
    await this.audit.append(tx, {
      actor: { type: 'person', id: person.id, login: person.login },
      action: 'evidence_pull.reopened',
      subject: release.record.version,
      data: { milestoneId: release.id, repositoryId: release.repositoryId, closedNumber: number },
      repositoryIds: [release.repositoryId],
    });
  }
}

/** The number of the pull request that was closed unmerged; throws where there is none to be opened again. */
function closedPullOf({ release, verdict }: Judgement, { status, isReached }: Verification): number {
  const { shipped, evidencePull } = release.record;
  if (shipped) throw shippedAlready();
  if (verdict.cancelled) throw cancelledRelease();
  if (verdict.stage !== 'EVIDENCING') throw notEvidencing(verdict.stage);
  if (!isReached) throw notReached();
  const codes = verdict.unmet.map(({ code }) => code);
  if (codes.includes('evidence_pull_closed') && evidencePull) return evidencePull.number;
  if (codes.some((code) => UNDER_WAY.includes(code))) throw pullIsOpened();
  throw status === 'verified' ? pullStands() : pullNotVerified();
}
