import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../../database/database.js';
import { EventsRecorder } from '../../../events/events.recorder.js';
import { Jobs } from '../../../jobs/jobs.js';
import { SetupProgress } from '../setup-state/setup-progress.recorder.js';
import { ProtectionsRepository } from './protections.repository.js';

/** Asks that the branches of a repository be protected, and looked after from then on. */
@Injectable()
export class ProtectionSetup {
  constructor(
    private readonly protections: ProtectionsRepository,
    private readonly progress: SetupProgress,
    private readonly events: EventsRecorder,
    private readonly jobs: Jobs,
  ) {}

  /**
   * Has the protection set up, or mended. Asking while that is under way asks for nothing new, unless there is something
   * that it has not been given yet (`anew`); true where an attempt began just now.
   */
  async request(tx: TenantTx, repositoryId: string, { anew = false }: { anew?: boolean } = {}): Promise<boolean> {
    const begun = await this.protections.begin(tx, repositoryId, { anew });
    await this.progress.protectionPending(tx, repositoryId);
    if (begun) await this.events.emit(tx, { type: 'repo.updated', repositoryId });
    // Also where one is under way: it may be waiting for its next try.
    const payload = { orgId: tx.orgId, repositoryId };
    await this.jobs.enqueue(tx, 'protect-repository', payload);
    return begun;
  }

  /** Has it looked at whether the protection still is as it should be, where it was ever asked for. */
  async askForCheck(tx: TenantTx, repositoryId: string): Promise<void> {
    if ((await this.protections.find(tx, repositoryId)) === null) return;
    const payload = { orgId: tx.orgId, repositoryId };
    await this.jobs.enqueue(tx, 'check-protection', payload);
  }
}
