import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { StorageUseDto } from '../billing/billing.dto.js';
import type { GitHubBudget, ServiceDiagnosis } from './diagnostics.service.js';

const MOMENT = { type: String, format: 'date-time', nullable: true } as const;

@ApiSchema({ name: 'DiagnosisVersions' })
class VersionsDto {
  @ApiProperty({ example: '0.1.0' })
  service!: string;

  @ApiProperty({ example: '24.21.0' })
  node!: string;

  @ApiProperty({ example: '18.4' })
  postgres!: string;
}

@ApiSchema({ name: 'DiagnosisRowLevelSecurity' })
class RowLevelSecurityDto {
  /** Whether the database itself keeps workspaces apart, whatever the service asks it. */
  @ApiProperty()
  holds!: boolean;

  /** What keeps it from doing so. */
  @ApiProperty({ type: [String], example: [] })
  problems!: readonly string[];
}

@ApiSchema({ name: 'DiagnosisDatabase' })
class DatabaseDto {
  /** The role that the service runs as. */
  @ApiProperty({ example: 'shipgate_app' })
  role!: string;

  @ApiProperty()
  rowLevelSecurity!: RowLevelSecurityDto;

  /** Migrations of this version that did not run yet. */
  @ApiProperty({ type: [String], example: [] })
  pendingMigrations!: readonly string[];
}

@ApiSchema({ name: 'DiagnosisQueue' })
class QueueDto {
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

@ApiSchema({ name: 'DiagnosisFreshness' })
class FreshnessDto {
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

@ApiSchema({ name: 'DiagnosisCircuit' })
class CircuitDto {
  /** `open`: GitHub did not answer several times, and is left alone. `half_open`: the next call tries again. */
  @ApiProperty({ enum: ['closed', 'open', 'half_open'] })
  state!: GitHubBudget['circuit']['state'];

  /** No call is made before this moment; null where calls may be made. */
  @ApiProperty(MOMENT)
  openUntil!: Date | null;
}

@ApiSchema({ name: 'DiagnosisBudget' })
class BudgetDto {
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
  circuit!: CircuitDto;

  /** Addresses of GitHub that did not answer several times and are left alone, though others may answer. */
  @ApiProperty({ type: 'integer', minimum: 0 })
  brokenAddresses!: number;

  /** Calls that wait for their turn. */
  @ApiProperty({ type: 'integer', minimum: 0 })
  waiting!: number;
}

@ApiSchema({ name: 'DiagnosisCodeHost' })
class CodeHostDto {
  /** Whether the GitHub App is installed for the workspace's organization. */
  @ApiProperty()
  installed!: boolean;

  /** What GitHub still allows, as this process last heard it; empty where it has not called GitHub yet. */
  @ApiProperty({ type: [BudgetDto] })
  budgets!: readonly BudgetDto[];
}

/** How the service is. */
@ApiSchema({ name: 'Diagnosis' })
export class DiagnosisDto implements ServiceDiagnosis {
  @ApiProperty()
  versions!: VersionsDto;

  @ApiProperty()
  database!: DatabaseDto;

  /**
   * When an address that is not in `TRUSTED_PROXIES` last sent forwarding headers: if it is the proxy in front, all of its
   * clients share the limits of one. Null where none did.
   */
  @ApiProperty(MOMENT)
  untrustedForwarderAt!: Date | null;

  /** Of all workspaces together. */
  @ApiProperty()
  queue!: QueueDto;

  /** What the workspace stores. */
  @ApiProperty()
  storage!: StorageUseDto;

  @ApiProperty()
  freshness!: FreshnessDto;

  @ApiProperty()
  codeHost!: CodeHostDto;
}
