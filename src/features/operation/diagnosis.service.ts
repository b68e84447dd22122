import { Injectable } from '@nestjs/common';
import { SERVICE_VERSION } from '../../config/service-version.js';
import type { Viewer } from '../../database/database.js';
import type { CircuitStanding } from '../../github/circuit.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import {
  DiagnosisReader,
  type QueueDiagnosis,
  type ServerDiagnosis,
  type WorkspaceDiagnosis,
} from './diagnosis.reader.js';

/** What the code host still allows of one budget, as it last said itself, and whether it answers there. */
export interface CodeHostBudget {
  /** `app`: the calls of all workspaces that are made in the app's own name. */
  readonly name: 'app' | 'workspace';
  readonly limit: number | null;
  readonly remaining: number | null;
  readonly resetAt: Date | null;
  readonly closedUntil: Date | null;
  readonly circuit: CircuitStanding;
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
  readonly queue: QueueDiagnosis;
  readonly freshness: Omit<WorkspaceDiagnosis, 'installationId'>;
  readonly codeHost: { readonly installed: boolean; readonly budgets: readonly CodeHostBudget[] };
}

/** How the service is, told to an admin of one workspace: no secret, and nothing of another workspace. */
@Injectable()
export class Diagnosis {
  constructor(
    private readonly reader: DiagnosisReader,
    private readonly github: GitHubGateway,
  ) {}

  async make(viewer: Viewer): Promise<ServiceDiagnosis> {
    const [{ version, role }, problems, pendingMigrations, queue, { installationId, ...freshness }] = await Promise.all(
      [
        this.reader.describeServer(),
        this.reader.findTenancyProblems(),
        this.reader.listPendingMigrations(),
        this.reader.measureQueue(),
        this.reader.describeWorkspace(viewer),
      ],
    );
    return {
      versions: { service: SERVICE_VERSION, node: process.versions.node, postgres: version },
      database: { role, rowLevelSecurity: { holds: problems.length === 0, problems }, pendingMigrations },
      queue,
      freshness,
      codeHost: { installed: installationId !== null, budgets: this.budgetsOf(installationId) },
    };
  }

  private budgetsOf(installationId: number | null): readonly CodeHostBudget[] {
    const own = `installation:${installationId}`;
    return this.github
      .budgets()
      .filter(({ name }) => name === 'app' || name === own)
      .map((budget) => ({ ...budget, name: budget.name === 'app' ? 'app' : 'workspace' }));
  }
}
