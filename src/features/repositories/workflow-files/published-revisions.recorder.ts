import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../../../config/clock.js';
import { Database } from '../../../database/database.js';
import { ManagedWorkflows } from './workflow-templates.service.js';

/** Writes down what is published, before anything of it can reach a repository. */
@Injectable()
export class PublishedRevisionsRecorder implements OnApplicationBootstrap {
  constructor(
    private readonly workflows: ManagedWorkflows,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Before the service listens and takes jobs: from the first request on, its own files are known as published. */
  async onApplicationBootstrap(): Promise<void> {
    const files = this.workflows.files();
    await this.database.lookup('publish_workflows', 'select publish_workflows($1, $2, $3, $4)', [
      files.map(({ path }) => path),
      files.map(({ blobSha }) => blobSha),
      this.workflows.revision,
      this.clock.now(),
    ]);
  }
}
