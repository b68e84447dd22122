import { Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { JobHandlers } from '../../jobs/job-handlers.js';
import { TamperingDetectionService } from './tampering/tampering-detection.service.js';
import { TamperingIssuesService } from './tampering/tampering-issues.service.js';
import { RepositoryTokensService } from './tokens/repository-tokens.service.js';

/** The work on installed files that is put off. */
@Injectable()
export class IntegrityJobs implements OnModuleInit {
  constructor(
    private readonly watch: TamperingDetectionService,
    private readonly issues: TamperingIssuesService,
    private readonly handlers: JobHandlers,
  ) {}

  onModuleInit(): void {
    this.handlers.register('check-workflow-files', ({ orgId, repositoryId }) =>
      this.watch.checkOrThrow(orgId, repositoryId),
    );
    this.handlers.register('update-tampering-issues', ({ orgId, repositoryId }) =>
      this.issues.update(orgId, repositoryId),
    );
  }
}

/** Sees to it that tokens go at their hour: every minute, and before a process serves that was down over it. */
@Injectable()
export class RepositoriesJobs implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly tokens: RepositoryTokensService,
    private readonly handlers: JobHandlers,
  ) {}

  onModuleInit(): void {
    this.handlers.register('delete-expired-repository-tokens', () => this.tokens.deleteExpired());
  }

  /** An app listens only when this is done; where it fails, the start does. */
  async onApplicationBootstrap(): Promise<void> {
    await this.tokens.deleteExpired();
  }
}
