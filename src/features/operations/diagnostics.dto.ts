import { ApiProperty } from '@nestjs/swagger';
import { StorageUseDto } from '../billing/billing.dto.js';
import type { GitHubBudget, ServiceDiagnosis } from './diagnostics.service.js';

const MOMENT = { type: String, format: 'date-time', nullable: true } as const;

class DiagnosticsVersionsDto {
  @ApiProperty({ example: '0.1.0' })
  service!: string;

  @ApiProperty({ example: '24.21.0' })
  node!: string;

  @ApiProperty({ example: '18.4' })
  postgres!: string;
}

class DiagnosticsRowLevelSecurityDto {
  /** Whether the database itself keeps workspaces apart, whatever the service asks it. */
  @ApiProperty()
  holds!: boolean;

  /** What keeps it from doing so. */
  @ApiProperty({ type: [String], example: [] })
  problems!: readonly string[];
}

class DiagnosticsDatabaseDto {
  /** The role that the service runs as. */
  @ApiProperty({ example: 'shipgate_app' })
  role!: string;

  @ApiProperty()
  rowLevelSecurity!: DiagnosticsRowLevelSecurityDto;

  /** Migrations of this version that did not run yet. */
  @ApiProperty({ type: [String], example: [] })
  pendingMigrations!: readonly string[];
}

class DiagnosticsQueueDto {
  /** Jobs that wait to be done now. */
  @ApiProperty({ type: 'integer', minimum: 0 })
  due!: number;

  @ApiProperty({ type: 'integer', minimum: 0 })
  running!: number;

  /** Jobs for a later moment. */
  @ApiProperty({ type: 'integer', minimum: 0 })
  later!: number;

  /** Jobs that failed too often to be tried again. */
  @ApiProperty({ type: 'integer', minimum: 0 })
  givenUp!: number;
}

class DiagnosticsFreshnessDto {
  /** Repositories of the workspace that the caller may read; the moments below are of these. */
  @ApiProperty({ type: 'integer', minimum: 0 })
  repositories!: number;

  /** When what is known longest was last confirmed by GitHub; null where nothing is known. */
  @ApiProperty(MOMENT)
  oldestObservationAt!: Date | null;

  /** When GitHub was last heard; null where it never was. */
  @ApiProperty(MOMENT)
  newestObservationAt!: Date | null;
}

class DiagnosticsCircuitDto {
  /** `open`: GitHub did not answer several times, and is left alone. `half_open`: the next call tries again. */
  @ApiProperty({ enum: ['closed', 'open', 'half_open'] })
  state!: GitHubBudget['circuit']['state'];

  /** No call is made before this moment; null where calls may be made. */
  @ApiProperty(MOMENT)
  openUntil!: Date | null;
}

class DiagnosticsBudgetDto {
  /** `workspace`: calls for this workspace alone. `app`: those in the app's own name, for all workspaces together. */
  @ApiProperty({ enum: ['app', 'workspace'] })
  name!: GitHubBudget['name'];

  /** Calls an hour; null where GitHub did not say. */
  @ApiProperty({ type: 'integer', nullable: true })
  limit!: number | null;

  @ApiProperty({ type: 'integer', nullable: true })
  remaining!: number | null;

  @ApiProperty(MOMENT)
  resetAt!: Date | null;

  /** GitHub asked for a pause until this moment; null where it did not. */
  @ApiProperty(MOMENT)
  closedUntil!: Date | null;

  /** Whether GitHub answers at all. */
  @ApiProperty()
  circuit!: DiagnosticsCircuitDto;

  /** Addresses of GitHub that did not answer several times and are left alone, though others may answer. */
  @ApiProperty({ type: 'integer', minimum: 0 })
  brokenAddresses!: number;

  /** Calls that wait for their turn. */
  @ApiProperty({ type: 'integer', minimum: 0 })
  waiting!: number;
}

class DiagnosticsGitHubDto {
  /** Whether the GitHub App is installed for the workspace's organization. */
  @ApiProperty()
  installed!: boolean;

  /** What GitHub still allows, as this process last heard it; empty where it has not called GitHub yet. */
  @ApiProperty({ type: [DiagnosticsBudgetDto] })
  budgets!: readonly DiagnosticsBudgetDto[];
}

/** How the service is. */
export class DiagnosticsDto implements ServiceDiagnosis {
  @ApiProperty()
  versions!: DiagnosticsVersionsDto;

  @ApiProperty()
  database!: DiagnosticsDatabaseDto;

  /**
   * When an address that is not in `TRUSTED_PROXIES` last sent forwarding headers: if it is the proxy in front, all of its
   * clients share the limits of one. Null where none did.
   */
  @ApiProperty(MOMENT)
  untrustedForwarderAt!: Date | null;

  /** Of all workspaces together. */
  @ApiProperty()
  queue!: DiagnosticsQueueDto;

  /** What the workspace stores. */
  @ApiProperty()
  storage!: StorageUseDto;

  @ApiProperty()
  freshness!: DiagnosticsFreshnessDto;

  @ApiProperty()
  codeHost!: DiagnosticsGitHubDto;
}
