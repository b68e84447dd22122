import { Injectable } from '@nestjs/common';
import { SERVICE_VERSION } from '../../config/service-version.js';
import { Database, type Viewer } from '../../database/database.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import { UntrustedForwarderRepository } from '../../http/rate-limit/untrusted-forwarder.repository.js';
import { StorageQuotaService } from '../evidence/storage/storage-quota.service.js';
import type { DiagnosticsBudgetDto, DiagnosticsDto } from './diagnostics.dto.js';
import { DiagnosticsQueries } from './diagnostics.queries.js';

function describeReplica({ replica }: Database): DiagnosticsDto['database']['replica'] {
  if (replica === null) return null;
  const { behindMs, problem } = replica;
  return { used: problem === null, behindSeconds: Number.isFinite(behindMs) ? Math.ceil(behindMs / 1_000) : null };
}

/** Reads the state of the service for an admin of one workspace, without secrets and without data of other workspaces. */
@Injectable()
export class DiagnosticsService {
  constructor(
    private readonly queries: DiagnosticsQueries,
    private readonly database: Database,
    private readonly quota: StorageQuotaService,
    private readonly github: GitHubGateway,
    private readonly forwarders: UntrustedForwarderRepository,
  ) {}

  async get(viewer: Viewer): Promise<DiagnosticsDto> {
    const [
      { version, role },
      problems,
      pendingMigrations,
      queue,
      forwarder,
      { installationId, ...freshness },
      storage,
    ] = await Promise.all([
      this.queries.describeServer(),
      this.queries.findTenancyProblems(),
      this.queries.listPendingMigrations(),
      this.queries.measureQueue(),
      this.forwarders.find(),
      this.queries.describeWorkspace(viewer),
      this.database.inTenant(viewer.orgId, (tx) => this.quota.use(tx)),
    ]);
    return {
      versions: { service: SERVICE_VERSION, node: process.versions.node, postgres: version },
      database: {
        role,
        rowLevelSecurity: { holds: problems.length === 0, problems },
        pendingMigrations,
        replica: describeReplica(this.database),
      },
      untrustedForwarderAt: forwarder?.seenAt ?? null,
      queue,
      storage,
      freshness,
      codeHost: { installed: installationId !== null, budgets: this.listBudgets(installationId) },
    };
  }

  private listBudgets(installationId: number | null): readonly DiagnosticsBudgetDto[] {
    const own = `installation:${installationId}`;
    return this.github
      .budgets()
      .filter(({ name }) => name === 'app' || name === own)
      .map((budget) => ({ ...budget, name: budget.name === 'app' ? 'app' : 'workspace' }));
  }
}
