import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';
import type { ProtectionCheckResult } from '../../../domain/repository/ruleset.js';
import { EventsRepository } from '../../../events/events.repository.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import { AuditRepository } from '../../audit/audit.repository.js';
import { RepositorySetupsRepository } from '../setup-state/repository-setups.repository.js';
import { RepositoryTokensService } from '../tokens/repository-tokens.service.js';
import { BranchProtectionRepository, type ProtectionTask } from './branch-protection.repository.js';

/** Writes down what came of the protection of a repository, with all that follows from it. */
@Injectable()
export class ProtectionStateService {
  constructor(
    private readonly protections: BranchProtectionRepository,
    private readonly progress: RepositorySetupsRepository,
    private readonly tokens: RepositoryTokensService,
    private readonly events: EventsRepository,
    private readonly audit: AuditRepository,
    private readonly jobs: JobsService,
  ) {}

  /** Says why it is not done yet. */
  async setDetail(tx: TenantTransaction, { repository, record }: ProtectionTask, detail: string): Promise<void> {
    const isNew = await this.protections.setDetail(tx, repository.id, record.attempt, detail);
    if (isNew) await this.events.append(tx, { type: 'repo.updated', repositoryId: repository.id });
  }

  /** Ends what was asked for, unless something else was asked for meanwhile. A token that was given for it is done with. */
  async complete(tx: TenantTransaction, work: ProtectionTask, found: ProtectionCheckResult): Promise<void> {
    const { id } = work.repository;
    if (!(await this.protections.complete(tx, id, work.record.attempt, found))) return;
    await this.tokens.delete(tx, id);
    await this.saveResult(tx, work, found);
  }

  /** Takes note of how it is found to be later on. */
  async observe(tx: TenantTransaction, work: ProtectionTask, found: ProtectionCheckResult): Promise<void> {
    const isNew = await this.protections.observe(tx, work.repository.id, work.record.attempt, found);
    if (isNew) await this.saveResult(tx, work, found);
  }

  private async saveResult(
    tx: TenantTransaction,
    { repository, record }: ProtectionTask,
    found: ProtectionCheckResult,
  ): Promise<void> {
    const { id: repositoryId, org, name } = repository;
    // What weakens it later undoes no set-up, and one that waits for a token goes on once that is given.
    if (found.status !== 'drifted' && found.awaitsToken !== true) {
      await this.progress.markProtectionResult(tx, repositoryId, found.status === 'failed' ? 'failed' : 'complete');
    }
    await this.events.append(tx, { type: 'repo.updated', repositoryId });
    if (found.status === record.status) return;
    if (found.status === 'active') {
      // The check is asked for from now on, also of what was proposed before.
      await this.jobs.enqueue(tx, 'enqueue-merge-checks', { orgId: tx.orgId, repositoryId });
    }
    await this.audit.append(tx, {
      actor: { type: 'service' },
      action: 'protection.changed',
      subject: `${org}/${name}`,
      data: { from: record.status, to: found.status, detail: found.detail },
      repositoryIds: [repositoryId],
    });
  }

  /**
   * Has the protection set up, or mended. Asking while that is under way asks for nothing new, unless there is something
   * that it has not been given yet (`anew`); true where an attempt began just now.
   */
  async enqueueApply(
    tx: TenantTransaction,
    repositoryId: string,
    { anew = false }: { anew?: boolean } = {},
  ): Promise<boolean> {
    const begun = await this.protections.start(tx, repositoryId, { anew });
    await this.progress.markProtectionPending(tx, repositoryId);
    if (begun) await this.events.append(tx, { type: 'repo.updated', repositoryId });
    // Also where one is under way: it may be waiting for its next try.
    const payload = { orgId: tx.orgId, repositoryId };
    await this.jobs.enqueue(tx, 'apply-rulesets', payload);
    return begun;
  }

  /** Has it looked at whether the protection still is as it should be, where it was ever asked for. */
  async enqueueCheck(tx: TenantTransaction, repositoryId: string): Promise<void> {
    if ((await this.protections.find(tx, repositoryId)) === null) return;
    const payload = { orgId: tx.orgId, repositoryId };
    await this.jobs.enqueue(tx, 'check-rulesets', payload);
  }
}
