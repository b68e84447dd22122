import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import { JobHandlers } from '../../jobs/job-handlers.js';
import { ReleaseRefresh } from '../releases/release-refresh.service.js';
import { ReposReader } from '../repos/repos.reader.js';

/** What workflows listen to with `on: repository_dispatch`. */
const EVENT = 'shipgate-deploy';

/** Sets deployments off where the policy promotes releases by itself. */
@Injectable()
export class Promotion implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly repos: ReposReader,
    private readonly refresh: ReleaseRefresh,
    private readonly github: GitHubGateway,
    private readonly handlers: JobHandlers,
  ) {}

  onModuleInit(): void {
    this.handlers.register('dispatch-deploy', ({ orgId, releaseId }) => this.promote(orgId, releaseId));
  }

  /** Tells the repository's workflows, if the gate still stands open now. The workflow asks the gate again itself. */
  async promote(orgId: OrgId, releaseId: string): Promise<void> {
    const { evaluation } = await this.refresh.refresh(orgId, releaseId, { cause: 'promotion', actor: 'service' });
    const repository = await this.database.inTenant(orgId, (tx) => this.repos.findByRelease(tx, releaseId));
    if (!evaluation || !repository?.ref) return;
    const { release, verdict } = evaluation;
    if (verdict.stage !== 'DEPLOYMENT' || verdict.gate.openUntil === null || verdict.candidateSha === null) return;
    const payload = { version: release.record.version, commit: verdict.candidateSha };
    await this.github.deployments.dispatch(repository.ref, EVENT, payload);
  }
}
