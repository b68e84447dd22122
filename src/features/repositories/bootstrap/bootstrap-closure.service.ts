import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { OrgId } from '../../../database/ids.js';
import { ReposReader } from '../../../workspaces/repos.reader.js';
import { PlanRoom } from '../../../workspaces/repository-quota.repository.js';
import { AuditRecorder } from '../../audit/audit.recorder.js';
import { BootstrapsRepository } from '../setup-state/bootstraps.repository.js';
import type { RepositorySetup } from '../setup-state/repository-setup.js';
import { HostTokens } from '../tokens/repository-tokens.service.js';

/** Ends bootstraps that come to nothing. */
@Injectable()
export class BootstrapClosure {
  constructor(
    private readonly bootstraps: BootstrapsRepository,
    private readonly room: PlanRoom,
    private readonly tokens: HostTokens,
    private readonly audit: AuditRecorder,
    private readonly repos: ReposReader,
    private readonly database: Database,
  ) {}

  /** Gives back the place that it took, forgets the token that it was given, and lets another one begin: where `setup` is how it still stands. */
  async close(orgId: OrgId, setup: RepositorySetup, detail: string): Promise<void> {
    await this.database.inTenant(orgId, async (tx) => {
      const { repositoryId } = setup;
      const repository = await this.repos.find(tx, repositoryId);
      const closed = await this.bootstraps.closed(tx, setup, detail);
      if (!repository || !closed) return;
      if (closed.tookPlace) await this.room.giveBack(tx, repositoryId);
      await this.tokens.wipe(tx, repositoryId);
      await this.audit.append(tx, {
        actor: { type: 'service' },
        action: 'bootstrap.closed',
        subject: `${repository.org}/${repository.name}`,
        data: { repositoryId, pullNumber: setup.pull?.number ?? null, detail },
        repositoryIds: [repositoryId],
      });
    });
  }
}
