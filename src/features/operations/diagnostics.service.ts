import { Injectable } from '@nestjs/common';
import { SERVICE_VERSION } from '../../config/service-version.js';
import { Database, type Viewer } from '../../database/database.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import type { CircuitStatus } from '../../github/transport/circuit-breaker.js';
import { UntrustedForwarderRepository } from '../../http/rate-limit/untrusted-forwarders.js';
import { StorageQuota, type StorageUse } from '../evidence/storage/storage-quota.repository.js';
import {
  DiagnosticsQueries,
  type QueueDiagnosis,
  type ServerDiagnosis,
  type WorkspaceDiagnosis,
} from './diagnostics.queries.js';

/** One rate limit of GitHub, as last received, with the state of its circuit breaker. */
export interface GitHubBudget {
  /** `app`: calls of the app itself, for all workspaces together. */
  readonly name: 'app' | 'workspace';
  readonly limit: number | null;
  readonly remaining: number | null;
  readonly resetAt: Date | null;
  readonly closedUntil: Date | null;
  readonly circuit: CircuitStatus;
  readonly brokenAddresses: number;
  /** Calls that wait for their turn. */
  readonly waiting: number;
}

export interface ServiceDiagnosis {
  readonly versions: { readonly service: string; readonly node: string; readonly postgres: string };
  readonly database: {
    readonly role: ServerDiagnosis['role'];
    readonly rowLevelSecurity: { readonly holds: boolean; readonly problems: readonly string[] };
    readonly pendingMigrations: readonly string[];
  };
  /** When an address outside `TRUSTED_PROXIES` last sent forwarding headers; null if none did. */
  readonly untrustedForwarderAt: Date | null;
  readonly queue: QueueDiagnosis;
  readonly storage: StorageUse;
  readonly freshness: Omit<WorkspaceDiagnosis, 'installationId'>;
  readonly codeHost: { readonly installed: boolean; readonly budgets: readonly GitHubBudget[] };
}

/** Reads the state of the service for an admin of one workspace, without secrets and without data of other workspaces. */
@Injectable()
export class DiagnosticsService {
  constructor(
    private readonly queries: DiagnosticsQueries,
    private readonly database: Database,
    private readonly quota: StorageQuota,
    private readonly github: GitHubGateway,
    private readonly forwarders: UntrustedForwarderRepository,
  ) {}

  async get(viewer: Viewer): Promise<ServiceDiagnosis> {
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
      database: { role, rowLevelSecurity: { holds: problems.length === 0, problems }, pendingMigrations },
      untrustedForwarderAt: forwarder?.seenAt ?? null,
      queue,
      storage,
      freshness,
      codeHost: { installed: installationId !== null, budgets: this.budgetsOf(installationId) },
    };
  }

  private budgetsOf(installationId: number | null): readonly GitHubBudget[] {
    const own = `installation:${installationId}`;
    return this.github
      .budgets()
      .filter(({ name }) => name === 'app' || name === own)
      .map((budget) => ({ ...budget, name: budget.name === 'app' ? 'app' : 'workspace' }));
  }
}
