import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../../database/database.js';
import type { ProtectionCheckResult } from '../../../domain/repository/ruleset.js';
import { EventsRepository } from '../../../events/events.repository.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import { RepositorySetupsService } from '../setup-state/repository-setups.service.js';
import { RepositoryTokensService } from '../tokens/repository-tokens.service.js';
import { BranchProtectionRepository, type ProtectionTask } from './branch-protection.repository.js';

/** Requests the protection of repositories and saves its state, with events, audit entries and follow-up jobs. */
@Injectable()
export class ProtectionStateService {
  constructor(
    private readonly protections: BranchProtectionRepository,
    private readonly setups: RepositorySetupsService,
    private readonly tokens: RepositoryTokensService,
    private readonly events: EventsRepository,
    private readonly audit: AuditLogService,
    private readonly jobs: JobsService,
  ) {}

  /** Saves why the attempt is not complete yet. */
  async setDetail(tx: TenantTransaction, { repository, record }: ProtectionTask, detail: string): Promise<void> {
    const isNew = await this.protections.setDetail(tx, repository.id, record.attempt, detail);
    if (isNew) await this.events.append(tx, { type: 'repo.updated', repositoryId: repository.id });
  }

  /** Completes the attempt unless another one was started. Deletes the token that was given for it. */
  async complete(tx: TenantTransaction, work: ProtectionTask, found: ProtectionCheckResult): Promise<void> {
    const { id } = work.repository;
    if (!(await this.protections.complete(tx, id, work.record.attempt, found))) return;
    await this.tokens.delete(tx, id);
    await this.saveResult(tx, work, found);
  }

  /** Saves the result of a later check. */
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
    // A later drift does not undo the set-up, and an attempt without a token continues once a token is given.
    if (found.status !== 'drifted' && found.awaitsToken !== true) {
      await this.setups.markProtectionResult(tx, repositoryId, found.status === 'failed' ? 'failed' : 'complete');
    }
    await this.events.append(tx, { type: 'repo.updated', repositoryId });
    if (found.status === record.status) return;
    if (found.status === 'active') {
      // The rulesets require the check from now on, also for open pull requests.
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
   * Enqueues the job that configures or repairs the protection. Returns true if it started a new attempt: if none was in
   * progress, or if `repeat` is true because the caller has a new token.
   */
  async enqueueApply(
    tx: TenantTransaction,
    repositoryId: string,
    { repeat = false }: { repeat?: boolean } = {},
  ): Promise<boolean> {
    const begun = await this.protections.start(tx, repositoryId, { repeat });
    await this.setups.markProtectionPending(tx, repositoryId);
    if (begun) await this.events.append(tx, { type: 'repo.updated', repositoryId });
    // Also for an attempt in progress, which may be waiting for its next try.
    const payload = { orgId: tx.orgId, repositoryId };
    await this.jobs.enqueue(tx, 'apply-rulesets', payload);
    return begun;
  }

  /** Enqueues a check of the protection if it was ever requested. */
  async enqueueCheck(tx: TenantTransaction, repositoryId: string): Promise<void> {
    if ((await this.protections.find(tx, repositoryId)) === null) return;
    const payload = { orgId: tx.orgId, repositoryId };
    await this.jobs.enqueue(tx, 'check-rulesets', payload);
  }
}
