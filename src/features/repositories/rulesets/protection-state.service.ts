import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../../database/database.js';
import type { FoundProtection } from '../../../domain/repository/ruleset.js';
import { EventsRecorder } from '../../../events/events.repository.js';
import { Jobs } from '../../../jobs/jobs.service.js';
import { AuditRecorder } from '../../audit/audit.repository.js';
import { SetupProgress } from '../setup-state/repository-setups.repository.js';
import { HostTokens } from '../tokens/repository-tokens.service.js';
import { ProtectionsRepository, type ProtectionWork } from './branch-protection.repository.js';

/** Writes down what came of the protection of a repository, with all that follows from it. */
@Injectable()
export class ProtectionOutcomes {
  constructor(
    private readonly protections: ProtectionsRepository,
    private readonly progress: SetupProgress,
    private readonly tokens: HostTokens,
    private readonly events: EventsRecorder,
    private readonly audit: AuditRecorder,
    private readonly jobs: Jobs,
  ) {}

  /** Says why it is not done yet. */
  async explain(tx: TenantTx, { repository, record }: ProtectionWork, detail: string): Promise<void> {
    const isNew = await this.protections.explain(tx, repository.id, record.attempt, detail);
    if (isNew) await this.events.emit(tx, { type: 'repo.updated', repositoryId: repository.id });
  }

  /** Ends what was asked for, unless something else was asked for meanwhile. A token that was given for it is done with. */
  async settle(tx: TenantTx, work: ProtectionWork, found: FoundProtection): Promise<void> {
    const { id } = work.repository;
    if (!(await this.protections.settle(tx, id, work.record.attempt, found))) return;
    await this.tokens.wipe(tx, id);
    await this.follow(tx, work, found);
  }

  /** Takes note of how it is found to be later on. */
  async observe(tx: TenantTx, work: ProtectionWork, found: FoundProtection): Promise<void> {
    const isNew = await this.protections.observe(tx, work.repository.id, work.record.attempt, found);
    if (isNew) await this.follow(tx, work, found);
  }

  private async follow(tx: TenantTx, { repository, record }: ProtectionWork, found: FoundProtection): Promise<void> {
    const { id: repositoryId, org, name } = repository;
    // What weakens it later undoes no set-up, and one that waits for a token goes on once that is given.
    if (found.status !== 'drifted' && found.awaitsToken !== true) {
      await this.progress.protectionSettled(tx, repositoryId, found.status === 'failed' ? 'failed' : 'complete');
    }
    await this.events.emit(tx, { type: 'repo.updated', repositoryId });
    if (found.status === record.status) return;
    if (found.status === 'active') {
      // The check is asked for from now on, also of what was proposed before.
      await this.jobs.enqueue(tx, 'check-open-heads', { orgId: tx.orgId, repositoryId });
    }
    await this.audit.append(tx, {
      actor: { type: 'service' },
      action: 'protection.changed',
      subject: `${org}/${name}`,
      data: { from: record.status, to: found.status, detail: found.detail },
      repositoryIds: [repositoryId],
    });
  }
}

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
