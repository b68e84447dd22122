import { Injectable } from '@nestjs/common';
import type { TenantTransaction } from '../../database/database.js';
import { EventsRepository } from '../../events/events.repository.js';
import { changedPart } from './audit-actions.js';
import { AuditRepository, type NewAuditEntry } from './audit.repository.js';

/** Appends to the audit log of a workspace. */
@Injectable()
export class AuditLogService {
  constructor(
    private readonly audit: AuditRepository,
    private readonly events: EventsRepository,
  ) {}

  /**
   * Appends an entry in the transaction of the action, so that both are saved or neither, and the event `workspace.updated` if the
   * action changes members, keys, the plan or freezes. Other transactions that append to the
   * workspace's log wait until this one ends, so call it late in the transaction.
   */
  async append(tx: TenantTransaction, entry: NewAuditEntry): Promise<void> {
    await this.audit.append(tx, entry);
    const what = changedPart(entry.action);
    if (what !== null) await this.events.append(tx, { type: 'workspace.updated', what });
  }
}
