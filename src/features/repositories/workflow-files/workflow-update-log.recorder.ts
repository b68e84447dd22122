import { Injectable } from '@nestjs/common';
import type { Person } from '../../../auth/user.js';
import type { TenantTx } from '../../../database/database.js';
import { EventsRecorder } from '../../../events/events.recorder.js';
import type { GovernedRepository } from '../../../workspaces/governed-repository.js';
import { AuditRecorder } from '../../audit/audit.recorder.js';
import { WorkflowInstallationRecorder } from './workflow-installation.recorder.js';
import { WorkflowUpdatePursuits } from './workflow-update-pursuits.recorder.js';
import { type ProposedUpdate, WorkflowUpdatesRepository } from './workflow-updates.repository.js';

/** What the default branch has from the service after a merge. */
export interface MergedWorkflows {
  /** Null where what lies there is of no revision of the service. */
  readonly revision: string | null;
  readonly customCi: boolean;
  readonly observedAt: Date;
}

/** Writes down what becomes of the updates of workflow files. */
@Injectable()
export class WorkflowUpdateLog {
  constructor(
    private readonly updates: WorkflowUpdatesRepository,
    private readonly installations: WorkflowInstallationRecorder,
    private readonly pursuits: WorkflowUpdatePursuits,
    private readonly audit: AuditRecorder,
    private readonly events: EventsRecorder,
  ) {}

  /** The pull request is open, and has it looked at once more: it may be merged before this is written down. */
  async opened(tx: TenantTx, repository: GovernedRepository, by: Person, update: ProposedUpdate): Promise<void> {
    if (!(await this.updates.opened(tx, repository.id, update))) return;
    await this.pursuits.askFor(tx, repository.id);
    await this.audit.append(tx, {
      actor: { type: 'person', id: by.id, login: by.login },
      action: 'workflow_update.opened',
      subject: fullNameOf(repository),
      data: { pullNumber: update.number, revision: update.revision },
      repositoryIds: [repository.id],
    });
  }

  async merged(tx: TenantTx, repository: GovernedRepository, number: number, merged: MergedWorkflows): Promise<void> {
    if (!(await this.updates.finished(tx, repository.id, number))) return;
    await this.found(tx, repository, merged);
    await this.audit.append(tx, {
      actor: { type: 'service' },
      action: 'workflow_update.merged',
      subject: fullNameOf(repository),
      data: { pullNumber: number, revision: merged.revision },
      repositoryIds: [repository.id],
    });
  }

  async closed(tx: TenantTx, repository: GovernedRepository, number: number): Promise<void> {
    await this.updates.finished(tx, repository.id, number);
  }

  /** The default branch has this, whoever brought it. */
  async found(tx: TenantTx, { id }: GovernedRepository, merged: MergedWorkflows): Promise<void> {
    const { revision, customCi, observedAt } = merged;
    if (revision === null || !(await this.installations.installed(tx, id, revision, observedAt, { customCi }))) return;
    await this.events.emit(tx, { type: 'repo.updated', repositoryId: id });
  }
}

const fullNameOf = ({ org, name }: GovernedRepository): string => `${org}/${name}`;
