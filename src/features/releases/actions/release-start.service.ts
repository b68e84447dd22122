import { Injectable } from '@nestjs/common';
import type { Member } from '../../../auth/caller.js';
import { Clock } from '../../../config/clock.js';
import { Database } from '../../../database/database.js';
import { noSuchRelease } from '../../../http/errors/release-refusal.js';
import { AuditRecorder } from '../../audit/audit.recorder.js';
import { RefreshRequests } from '../evaluation/refresh-requests.recorder.js';
import { ReleaseEvaluation } from '../evaluation/release-evaluation.service.js';
import { VisibleReleases } from '../records/visible-releases.reader.js';
import { cancelledRelease, shippedAlready } from './release-actions.errors.js';
import { ReleaseStarts } from './release-starts.recorder.js';

/** Lets people say that work on a release has begun. */
@Injectable()
export class ReleaseStart {
  constructor(
    private readonly database: Database,
    private readonly visible: VisibleReleases,
    private readonly evaluations: ReleaseEvaluation,
    private readonly starts: ReleaseStarts,
    private readonly refreshes: RefreshRequests,
    private readonly audit: AuditRecorder,
    private readonly clock: Clock,
  ) {}

  /** Whoever starts a release that was started before changes nothing. It is thought over at once, by what is known. */
  async start({ viewer, orgId, person }: Member, releaseId: string): Promise<void> {
    await this.visible.require(viewer, releaseId);
    await this.database.inTenant(orgId, async (tx) => {
      const judgement = await this.evaluations.judge(tx, releaseId);
      if (!judgement) throw noSuchRelease();
      const { release, verdict } = judgement;
      if (release.record.shipped) throw shippedAlready();
      if (verdict.cancelled) throw cancelledRelease();
      if (!(await this.starts.record(tx, releaseId, person.login, this.clock.now()))) return;
      await this.evaluations.reevaluate(tx, releaseId, { cause: 'start', actor: person.login });
      await this.refreshes.askFor(tx, [releaseId], 'start');
      await this.audit.append(tx, {
        actor: { type: 'person', id: person.id, login: person.login },
        action: 'release.started',
        subject: release.record.version,
        data: { milestoneId: releaseId, repositoryId: release.repositoryId },
        repositoryIds: [release.repositoryId],
      });
    });
  }
}
