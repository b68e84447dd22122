import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Member } from '../../../auth/caller.js';
import { Clock } from '../../../config/clock.js';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { EventsRecorder } from '../../../events/events.recorder.js';
import { noSuchRelease } from '../../../http/errors/release-refusal.js';
import { ReposReader } from '../../../workspaces/repos.reader.js';
import { AdminOffice } from '../../accounts/members/admin-office.reader.js';
import { AuditRecorder } from '../../audit/audit.recorder.js';
import { ReleaseRefresh } from '../../releases/evaluation/release-refresh.service.js';
import { Shipping } from '../../releases/shipping/shipping.service.js';
import type { HistoryItem } from '../history-item.js';
import { HistoryRecords } from '../history-records.reader.js';
import { inTheFuture } from './history-refusal.js';
import { RecordedDeployments } from './recorded-deployments.service.js';

/** How long an admin waits for the code host, in milliseconds: as long as the deploy gate does. */
const DEADLINE_MS = 3_000;

/** A deployment that an admin tells of; what is null is now, and the target. */
export interface DeploymentWord {
  readonly milestoneId: string;
  readonly deployedAt: Date | null;
  readonly environment: string | null;
  readonly note: string | null;
}

/** Records deployments that no webhook told of, by the word of an admin. */
@Injectable()
export class DeploymentRecording {
  constructor(
    private readonly database: Database,
    private readonly repos: ReposReader,
    private readonly refresh: ReleaseRefresh,
    private readonly office: AdminOffice,
    private readonly deployments: RecordedDeployments,
    private readonly shipping: Shipping,
    private readonly records: HistoryRecords,
    private readonly events: EventsRecorder,
    private readonly audit: AuditRecorder,
    private readonly clock: Clock,
  ) {}

  /**
   * Ships the release, and answers its record. Throws `invalid` for a moment that is to come, `not_found` for what the admin
   * may not read, and what `RecordedDeployments` throws where the gate is not open.
   */
  async record({ orgId, viewer, person }: Member, word: DeploymentWord): Promise<HistoryItem> {
    const { milestoneId, deployedAt, environment } = word;
    const note = word.note?.trim() ?? null;
    if (deployedAt !== null && !(deployedAt <= this.clock.now())) throw inTheFuture();
    const repository = await this.database.asViewer(viewer, (tx) => this.repos.findByRelease(tx, milestoneId));
    if (!repository) throw noSuchRelease();
    const repositoryId = repository.id;
    const isUpToDate = await this.bringUpToDate(orgId, milestoneId);
    const by = { id: person.id, login: person.login };
    return this.shipping.insist(orgId, async (tx) => {
      await this.office.hold(tx, person.id);
      const told = { repositoryId, releaseId: milestoneId, deployedAt, environment, note, by, isUpToDate };
      const recorded = await this.deployments.record(tx, told);
      await this.events.emit(tx, { type: 'release.updated', repositoryId, milestoneId });
      await this.audit.append(tx, {
        actor: { type: 'person', ...by },
        action: 'deployment.recorded',
        subject: recorded.version,
        data: { milestoneId, repositoryId, ...recorded, deployedAt: recorded.deployedAt.toISOString(), note },
        repositoryIds: [repositoryId],
      });
      const [item] = await this.records.list(tx, [recorded.id]);
      if (!item) throw new Error(`The record ${recorded.id} is not there.`);
      return item;
    });
  }

  /** Reads what is too old of the release. False where the code host did not tell all of it in time. */
  private async bringUpToDate(orgId: OrgId, releaseId: string): Promise<boolean> {
    const read = this.refresh.refreshTogether(orgId, releaseId, { cause: 'history', actor: 'service' });
    const answered = read.then(
      ({ failures }) => failures.every(({ isPassing }) => !isPassing),
      () => false,
    );
    return Promise.race([answered, sleep(DEADLINE_MS, false, { ref: false })]);
  }
}
