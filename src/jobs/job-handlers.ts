import { Injectable, type OnModuleInit, SetMetadata } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { JOB_NAMES, type JobName, type JobPayload } from './job.js';

export interface JobRun {
  /** The job is not retried if this attempt fails. */
  readonly isLastAttempt: boolean;
}

type Handler<N extends JobName> = (payload: JobPayload<N>, run: JobRun) => Promise<void>;

const JOB_NAME = 'shipgate:job';

/** Declares the method of a provider as the handler of a job. */
export const JobHandler =
  <N extends JobName>(name: N) =>
  <H extends Handler<N>>(target: object, method: string, descriptor: TypedPropertyDescriptor<H>): void =>
    void SetMetadata(JOB_NAME, name)(target, method, descriptor);

/** The handlers of all jobs, found in the providers of the application. The start fails unless each job has exactly one. */
@Injectable()
export class JobHandlers implements OnModuleInit {
  private readonly handlers = new Map<JobName, Handler<JobName>>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly methods: MetadataScanner,
  ) {}

  onModuleInit(): void {
    const providers = this.discovery.getProviders().map(({ instance }): unknown => instance);
    // A provider with an alias is listed twice.
    for (const provider of new Set(providers))
      if (typeof provider === 'object' && provider !== null) this.findIn(provider);
    const missing = JOB_NAMES.filter((name) => !this.handlers.has(name));
    if (missing.length > 0) throw new TypeError(`No method has @JobHandler for: ${missing.join(', ')}.`);
  }

  entries(): readonly (readonly [JobName, Handler<JobName>])[] {
    return [...this.handlers];
  }

  private findIn(provider: object): void {
    const prototype = Object.getPrototypeOf(provider) as Record<string, Handler<JobName>> | null;
    for (const method of this.methods.getAllMethodNames(prototype)) {
      const handler = prototype?.[method];
      const name = handler && (Reflect.getMetadata(JOB_NAME, handler) as JobName | undefined);
      if (!name) continue;
      if (this.handlers.has(name)) {
        throw new TypeError(`The job "${name}" has a second handler: ${provider.constructor.name}.${method}.`);
      }
      this.handlers.set(name, handler.bind(provider));
    }
  }
}
