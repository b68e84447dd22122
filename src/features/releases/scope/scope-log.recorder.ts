import { Injectable } from '@nestjs/common';
import type { Member, PersonalKeyCaller } from '../../../auth/caller.js';
import type { TenantTx } from '../../../database/database.js';
import type { ScopeChange } from '../../../domain/release/scope-change.js';
import { EventsRecorder } from '../../../events/events.recorder.js';
import { AuditRecorder } from '../../audit/audit.recorder.js';
import type { ScopedRelease } from './scoped-releases.reader.js';

const ACTIONS = {
  link: 'issue.linked',
  unlink: 'issue.unlinked',
  assign: 'issue.assigned',
  unassign: 'issue.unassigned',
} as const;

/** Who asked GitHub for a change of which scope, and whether it said that it made it. */
export interface ToldChange {
  readonly asker: Member | PersonalKeyCaller;
  readonly release: ScopedRelease;
  readonly change: ScopeChange;
  readonly confirmed: boolean;
}

/** Tells of changes of a scope in the transaction that keeps them. */
@Injectable()
export class ScopeLog {
  constructor(
    private readonly events: EventsRecorder,
    private readonly audit: AuditRecorder,
  ) {}

  async changed(tx: TenantTx, { asker, release, change, confirmed }: ToldChange): Promise<void> {
    const { id: milestoneId, version, repository } = release;
    await this.events.emit(tx, { type: 'release.updated', repositoryId: repository.id, milestoneId });
    await this.audit.append(tx, {
      actor: { type: 'person', id: asker.person.id, login: asker.person.login },
      action: ACTIONS[change.action],
      subject: `${repository.org}/${repository.name}#${change.number}`,
      data: {
        milestoneId,
        version,
        repositoryId: repository.id,
        number: change.number,
        confirmed,
        ...('assignee' in change && { assignee: change.assignee }),
        // So that it is known what became of a key that was lost.
        ...('keyId' in asker && { keyId: asker.keyId }),
      },
      repositoryIds: [repository.id],
    });
  }
}
