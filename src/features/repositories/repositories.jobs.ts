import { Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { JobHandlers } from '../../jobs/job-handlers.js';
import { TamperingDetectionService } from './tampering/tampering-detection.service.js';
import { TamperingIssuesService } from './tampering/tampering-issues.service.js';
import { RepositoryTokensService } from './tokens/repository-tokens.service.js';

/** Runs the jobs that check managed workflow files. */
@Injectable()
export class IntegrityJobs implements OnModuleInit {
  constructor(
    private readonly detection: TamperingDetectionService,
    private readonly issues: TamperingIssuesService,
    private readonly handlers: JobHandlers,
  ) {}

  onModuleInit(): void {
    this.handlers.register('check-workflow-files', ({ orgId, repositoryId }) =>
      this.detection.checkOrThrow(orgId, repositoryId),
    );
    this.handlers.register('update-tampering-issues', ({ orgId, repositoryId }) =>
      this.issues.update(orgId, repositoryId),
    );
  }
}

/** Deletes expired tokens every minute, and at the start before the process serves requests. */
@Injectable()
export class RepositoriesJobs implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly tokens: RepositoryTokensService,
    private readonly handlers: JobHandlers,
  ) {}

  onModuleInit(): void {
    this.handlers.register('delete-expired-repository-tokens', () => this.tokens.deleteExpired());
  }

  /** The process listens after this. If it fails, the start fails. */
  async onApplicationBootstrap(): Promise<void> {
    await this.tokens.deleteExpired();
  }
}
