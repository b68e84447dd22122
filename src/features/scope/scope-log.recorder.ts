import { Injectable } from '@nestjs/common';
import type { Person } from '../../auth/person.js';
import type { TenantTx } from '../../database/database.js';
import type { ScopeChange } from '../../domain/release/scope-change.js';
import { AuditRecorder } from '../audit/audit.recorder.js';
import { EventsRecorder } from '../events/events.recorder.js';
import type { ScopedRelease } from './scoped-releases.reader.js';

const ACTIONS = {
  link: 'issue.linked',
  unlink: 'issue.unlinked',
  assign: 'issue.assigned',
  unassign: 'issue.unassigned',
} as const;

/** Tells of changes of a scope in the transaction that keeps them. */
@Injectable()
export class ScopeLog {
  constructor(
    private readonly events: EventsRecorder,
    private readonly audit: AuditRecorder,
  ) {}

  async changed(
    tx: TenantTx,
    { id, login }: Person,
    { id: milestoneId, version, repository }: ScopedRelease,
    change: ScopeChange,
  ): Promise<void> {
    await this.events.emit(tx, { type: 'release.updated', repositoryId: repository.id, milestoneId });
    await this.audit.append(tx, {
      actor: { type: 'person', id, login },
      action: ACTIONS[change.action],
      subject: `${repository.org}/${repository.name}#${change.number}`,
      data: {
        milestoneId,
        version,
        repositoryId: repository.id,
        number: change.number,
        ...('assignee' in change && { assignee: change.assignee }),
      },
    });
  }
}
