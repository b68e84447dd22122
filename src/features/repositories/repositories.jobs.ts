import { Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { JobHandlers } from '../../jobs/job-handlers.js';
import { WorkflowWatch } from './tampering/tampering-detection.service.js';
import { TamperingIssues } from './tampering/tampering-issues.service.js';
import { HostTokens } from './tokens/repository-tokens.service.js';

/** The work on installed files that is put off. */
@Injectable()
export class IntegrityJobs implements OnModuleInit {
  constructor(
    private readonly watch: WorkflowWatch,
    private readonly issues: TamperingIssues,
    private readonly handlers: JobHandlers,
  ) {}

  onModuleInit(): void {
    this.handlers.register('watch-workflows', ({ orgId, repositoryId }) => this.watch.lookOrFail(orgId, repositoryId));
    this.handlers.register('tell-of-tampering', ({ orgId, repositoryId }) => this.issues.tell(orgId, repositoryId));
  }
}

/** Sees to it that tokens go at their hour: every minute, and before a process serves that was down over it. */
@Injectable()
export class HostTokenWiping implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly tokens: HostTokens,
    private readonly handlers: JobHandlers,
  ) {}

  onModuleInit(): void {
    this.handlers.register('wipe-host-tokens', () => this.tokens.wipeAged());
  }

  /** An app listens only when this is done; where it fails, the start does. */
  async onApplicationBootstrap(): Promise<void> {
    await this.tokens.wipeAged();
  }
}
