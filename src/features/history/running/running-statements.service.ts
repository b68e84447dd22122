import { Injectable } from '@nestjs/common';
import type { CiCaller } from '../../../auth/caller.js';
import { Clock } from '../../../config/clock.js';
import { Database, type TenantTransaction } from '../../../database/database.js';
import type { NamedDigest } from '../../../domain/artifact/required-artifacts.js';
import { EventsRepository } from '../../../events/events.repository.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import { toReporter } from '../reports/deployment-report-log.service.js';
import { assertNotInFuture } from '../reports/deployment-reports.errors.js';
import type { CountReport } from '../reports/deployment-reports.service.js';
import { DeploymentReportTargetService } from '../reports/deployment-report-target.service.js';
import { tooManyEnvironments } from './running.errors.js';
import { RunningArtifactsRepository, type RunningStatement } from '../deployments/running-artifacts.repository.js';

/** A statement of a CI system about everything that runs. */
export interface ReceivedStatement extends Omit<RunningStatement, 'repositoryId'> {
  readonly repo: string;
}

/** The number of environments of a repository with a statement. */
const MAX_ENVIRONMENTS = 100;
/** The number of added and of removed artifacts that an audit entry names. */
const MAX_NAMED = 20;

/** Stores what CI systems state about the artifacts that run in an environment. */
@Injectable()
export class RunningStatementsService {
  constructor(
    private readonly database: Database,
    private readonly targets: DeploymentReportTargetService,
    private readonly running: RunningArtifactsRepository,
    private readonly events: EventsRepository,
    private readonly audit: AuditLogService,
    private readonly clock: Clock,
  ) {}

  /** Replaces the statement before. Returns whether something else runs now. Throws the errors of a deployment report. */
  async receive(caller: CiCaller, { repo, ...stated }: ReceivedStatement, count: CountReport): Promise<boolean> {
    const repository = await this.targets
      .repositoryFor(caller, repo, stated.environment)
      .catch(async (error: unknown) => {
        await count(null);
        throw error;
      });
    await count(repository);
    assertNotInFuture(stated.statedAt, this.clock.now());
    return this.database.inTenant(caller.orgId, (tx) =>
      this.replace(tx, caller, { ...stated, repositoryId: repository.id }),
    );
  }

  private async replace(tx: TenantTransaction, caller: CiCaller, statement: RunningStatement): Promise<boolean> {
    const { repositoryId, environment } = statement;
    const { added, removed } = await this.running.replace(tx, statement, this.clock.now());
    if (added.length === 0 && removed.length === 0) return false;
    if ((await this.running.countEnvironments(tx, repositoryId)) > MAX_ENVIRONMENTS)
      throw tooManyEnvironments(MAX_ENVIRONMENTS);
    await this.events.append(tx, { type: 'deployment.updated', repositoryId });
    await this.audit.append(tx, {
      actor: { type: 'service' },
      action: 'running.changed',
      subject: environment,
      data: {
        repositoryId,
        environment,
        added: toNames(added),
        addedCount: added.length,
        removed: toNames(removed),
        removedCount: removed.length,
        statedBy: { ...toReporter(caller) },
      },
      repositoryIds: [repositoryId],
    });
    return true;
  }
}

const toNames = (artifacts: readonly NamedDigest[]): readonly string[] =>
  artifacts.slice(0, MAX_NAMED).map(({ name, digest }) => `${name}@${digest}`);
