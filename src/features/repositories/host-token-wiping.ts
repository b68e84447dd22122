import { Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { JobHandlers } from '../../jobs/job-handlers.js';
import { HostTokens } from './tokens/repository-tokens.service.js';

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
