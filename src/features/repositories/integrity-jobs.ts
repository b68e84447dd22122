import { Injectable, type OnModuleInit } from '@nestjs/common';
import { JobHandlers } from '../../jobs/job-handlers.js';
import { TamperingIssues } from './tampering/tampering-issues.service.js';
import { WorkflowWatch } from './tampering/workflow-watch.service.js';

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
