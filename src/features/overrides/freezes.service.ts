import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Member } from '../../auth/caller.js';
import { Clock } from '../../config/clock.js';
import { Database, type TenantTransaction } from '../../database/database.js';
import { isUuid } from '../../database/ids.js';
import { isCalendarDay } from '../../domain/policy/freeze.js';
import type { Freeze } from '../../domain/policy/policy.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { JobHandler } from '../../jobs/job-handlers.js';
import type { JobPayload } from '../../jobs/job.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { MembersRepository } from '../accounts/members/members.repository.js';
import { UsersRepository } from '../accounts/users/users.repository.js';
import { AuditLogService } from '../audit/audit-log.service.js';
import { FreezesRepository, type WorkspaceFreeze } from './freezes.repository.js';
import type { FreezeDto } from './overrides.dto.js';

/** The maximum number of active freezes of a workspace. */
const MAX_FREEZES = 100;
const BATCH_SIZE = 200;

/** Creates and lifts the freezes that admins set for the whole workspace. */
@Injectable()
export class FreezesService {
  constructor(
    private readonly database: Database,
    private readonly freezes: FreezesRepository,
    private readonly members: MembersRepository,
    private readonly users: UsersRepository,
    private readonly audit: AuditLogService,
    private readonly jobs: JobsService,
    private readonly clock: Clock,
  ) {}

  async list({ viewer }: Member): Promise<readonly FreezeDto[]> {
    const freezes = await this.database.asViewer(viewer, (tx) => this.freezes.list(tx, this.clock.now()));
    const creators = await this.users.list([...new Set(freezes.map(({ createdBy }) => createdBy))]);
    return freezes.map((freeze) => ({ ...freeze, createdBy: creators.get(freeze.createdBy)?.login ?? null }));
  }

  /**
   * When it returns, no gate of the workspace opens on these days. Throws `invalid` for wrong or past days, `conflict` if there
   * are too many freezes, `forbidden` if the user is not an admin any more.
   */
  async create({ orgId, user }: Member, { from, to, reason }: Freeze): Promise<FreezeDto> {
    const now = this.clock.now();
    if (!isCalendarDay(from) || !isCalendarDay(to)) throw invalid('from and to must be days, as YYYY-MM-DD.');
    if (from > to) throw invalid('from must not be after to.');
    if (to < now.toISOString().slice(0, from.length)) throw invalid('to must not be over yet.');
    const freeze = { id: randomUUID(), from, to, reason: reason.trim(), createdBy: user.id, createdAt: now };
    await this.database.inTenant(orgId, async (tx) => {
      await this.members.lockAdmin(tx, user.id);
      await this.freezes.create(tx, freeze);
      if ((await this.freezes.list(tx, now)).length > MAX_FREEZES) {
        throw new DomainError(
          'conflict',
          `The workspace has the maximum of ${MAX_FREEZES} freezes. Lift a freeze first.`,
          { errorCode: 'freeze_limit' },
        );
      }
      await this.invalidateWorkspace(tx);
      await this.audit.append(tx, {
        actor: { type: 'person', id: user.id, login: user.login },
        action: 'freeze.made',
        subject: `${from} to ${to}`,
        data: toAuditData(freeze),
        repositoryIds: [],
      });
    });
    return { ...freeze, createdBy: user.login };
  }

  /** Throws `not_found` if the freeze is over or lifted, `forbidden` if the user is not an admin any more. */
  async lift({ orgId, user }: Member, id: string): Promise<void> {
    const lifted =
      isUuid(id) &&
      (await this.database.inTenant(orgId, async (tx) => {
        await this.members.lockAdmin(tx, user.id);
        const freeze = await this.freezes.lift(tx, id, user.id, this.clock.now());
        if (!freeze) return false;
        await this.invalidateWorkspace(tx);
        await this.audit.append(tx, {
          actor: { type: 'person', id: user.id, login: user.login },
          action: 'freeze.lifted',
          subject: `${freeze.from} to ${freeze.to}`,
          data: toAuditData(freeze),
          repositoryIds: [],
        });
        return true;
      }));
    if (!lifted) throw new DomainError('not_found', 'The workspace has no such current or future freeze.');
  }

  /** Enqueues one refresh per release, so that a release that cannot be read from GitHub does not delay the others. */
  @JobHandler('reevaluate-workspace')
  async reevaluateWorkspace({ orgId, cause }: JobPayload<'reevaluate-workspace'>): Promise<void> {
    let after: string | null = null;
    do {
      const from: string | null = after;
      const ids: readonly string[] = await this.database.inTenant(orgId, async (tx) => {
        const next = await this.freezes.listNext(tx, from, BATCH_SIZE);
        for (const releaseId of next) {
          await this.jobs.enqueue(tx, 'refresh-release', { orgId, releaseId, cause });
        }
        return next;
      });
      after = ids.at(-1) ?? null;
    } while (after !== null);
  }

  private async invalidateWorkspace(tx: TenantTransaction): Promise<void> {
    await this.freezes.invalidateWorkspace(tx);
    await this.jobs.enqueue(tx, 'reevaluate-workspace', { orgId: tx.orgId, cause: 'freeze' });
  }
}

const toAuditData = ({ id, from, to, reason }: WorkspaceFreeze) => ({ id, from, to, reason });

const invalid = (sentence: string): DomainError => new DomainError('invalid', sentence);
