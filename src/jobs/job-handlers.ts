import { Injectable } from '@nestjs/common';
import type { JobName, JobPayload } from './job.js';

interface JobRun {
  /** Aborted before the process ends. */
  readonly signal: AbortSignal;
  /** The job is not retried if this attempt fails. */
  readonly isLastAttempt: boolean;
}

export type JobHandler<N extends JobName> = (payload: JobPayload<N>, run: JobRun) => Promise<void>;

/** The handlers of all jobs. A feature registers its handlers when its module starts. Each job has exactly one. */
@Injectable()
export class JobHandlers {
  private readonly handlers = new Map<JobName, JobHandler<JobName>>();

  register<N extends JobName>(name: N, handler: JobHandler<N>): void {
    if (this.handlers.has(name)) throw new TypeError(`The job "${name}" has a handler already.`);
    this.handlers.set(name, handler);
  }

  entries(): readonly (readonly [JobName, JobHandler<JobName>])[] {
    return [...this.handlers];
  }
}
