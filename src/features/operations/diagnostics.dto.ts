import { ApiProperty } from '@nestjs/swagger';
import type { CircuitStatus } from '../../github/transport/circuit-breaker.js';
import { StorageUseDto } from '../billing/billing.dto.js';

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
  /** Whether the database itself separates the workspaces. */
  @ApiProperty()
  holds!: boolean;

  /** The reasons if it does not. */
  @ApiProperty({ type: [String], example: [] })
  problems!: readonly string[];
}

class DiagnosticsReplicaDto {
  /** Whether exports and whole lists are read from it. Otherwise the primary answers them. */
  @ApiProperty()
  used!: boolean;

  /** By how many seconds it is behind at most; null if that is not known. */
  @ApiProperty({ type: 'integer', minimum: 0, nullable: true })
  behindSeconds!: number | null;
}

class DiagnosticsDatabaseDto {
  /** The database role of the service. */
  @ApiProperty({ example: 'shipgate_app' })
  role!: string;

  @ApiProperty()
  rowLevelSecurity!: DiagnosticsRowLevelSecurityDto;

  /** The migrations of this version that have not run yet. */
  @ApiProperty({ type: [String], example: [] })
  pendingMigrations!: readonly string[];

  /** The standby for exports and whole lists, as this process sees it; null if there is none. */
  @ApiProperty({ type: DiagnosticsReplicaDto, nullable: true, example: null })
  replica!: DiagnosticsReplicaDto | null;
}

export class DiagnosticsQueueDto {
  /** Jobs that are due now. */
  @ApiProperty({ type: 'integer', minimum: 0 })
  due!: number;

  @ApiProperty({ type: 'integer', minimum: 0 })
  running!: number;

  /** Jobs with a later start. */
  @ApiProperty({ type: 'integer', minimum: 0 })
  later!: number;

  /** Jobs that failed in every attempt. */
  @ApiProperty({ type: 'integer', minimum: 0 })
  givenUp!: number;
}

export class DiagnosticsFreshnessDto {
  /** The number of repositories that the caller can read. The times below concern these. */
  @ApiProperty({ type: 'integer', minimum: 0 })
  repositories!: number;

  /** The time of the oldest stored observation; null if there is none. */
  @ApiProperty(MOMENT)
  oldestObservationAt!: Date | null;

  /** The time of the newest stored observation; null if there is none. */
  @ApiProperty(MOMENT)
  newestObservationAt!: Date | null;
}

class DiagnosticsCircuitDto {
  /** `open`: GitHub failed several times, and no calls are made. `half_open`: the next call tries again. */
  @ApiProperty({ enum: ['closed', 'open', 'half_open'] })
  state!: CircuitStatus['state'];

  /** No call is made before this time; null if calls are allowed. */
  @ApiProperty(MOMENT)
  openUntil!: Date | null;
}

export class DiagnosticsBudgetDto {
  /** `workspace`: calls for this workspace. `app`: calls of the app itself, for all workspaces together. */
  @ApiProperty({ enum: ['app', 'workspace'] })
  name!: 'app' | 'workspace';

  /** Calls per hour; null if GitHub has not reported it. */
  @ApiProperty({ type: 'integer', nullable: true })
  limit!: number | null;

  @ApiProperty({ type: 'integer', nullable: true })
  remaining!: number | null;

  @ApiProperty(MOMENT)
  resetAt!: Date | null;

  /** GitHub has requested a pause until this time; null if it has not. */
  @ApiProperty(MOMENT)
  closedUntil!: Date | null;

  /** The state of the circuit breaker. */
  @ApiProperty()
  circuit!: DiagnosticsCircuitDto;

  /** The number of GitHub URLs that failed several times and are not called, although others may work. */
  @ApiProperty({ type: 'integer', minimum: 0 })
  brokenAddresses!: number;

  /** Calls that wait for their turn. */
  @ApiProperty({ type: 'integer', minimum: 0 })
  waiting!: number;
}

class DiagnosticsGitHubDto {
  /** Whether the GitHub App is installed in the organization. */
  @ApiProperty()
  installed!: boolean;

  /** The rate limits of GitHub, as this process last received them; empty before its first call. */
  @ApiProperty({ type: [DiagnosticsBudgetDto] })
  budgets!: readonly DiagnosticsBudgetDto[];
}

/** The state of the service. */
export class DiagnosticsDto {
  @ApiProperty()
  versions!: DiagnosticsVersionsDto;

  @ApiProperty()
  database!: DiagnosticsDatabaseDto;

  /**
   * When an address outside `TRUSTED_PROXIES` last sent forwarding headers; null if none did. If it is your proxy, all of its
   * clients share one rate limit.
   */
  @ApiProperty(MOMENT)
  untrustedForwarderAt!: Date | null;

  /** Of all workspaces together. */
  @ApiProperty()
  queue!: DiagnosticsQueueDto;

  /** The storage of the workspace. */
  @ApiProperty()
  storage!: StorageUseDto;

  @ApiProperty()
  freshness!: DiagnosticsFreshnessDto;

  @ApiProperty()
  codeHost!: DiagnosticsGitHubDto;
}
