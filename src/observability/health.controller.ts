import { Controller, Get } from '@nestjs/common';
import { Public } from '../auth/access-rule.js';
import { DomainError } from '../http/domain-error.js';
import { Readiness } from './readiness.js';

const RETRY_SECONDS = 5;

/** What a supervisor and a load balancer ask. Neither is counted by a rate limit: probes must never be refused. */
@Controller('api/health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  /** Alive: the process answers. A restart helps where it does not. */
  @Get()
  @Public()
  alive(): { readonly status: 'ok' } {
    return { status: 'ok' };
  }

  /** Ready: the process can do its work. Traffic goes elsewhere where it cannot; a restart would not help. */
  @Get('ready')
  @Public()
  async ready(): Promise<{ readonly status: 'ready' }> {
    const failing = await this.readiness.findFailures();
    if (failing.length > 0) {
      throw new DomainError('unavailable', `Not ready: ${failing.join(', ')}.`, { retryAfterSeconds: RETRY_SECONDS });
    }
    return { status: 'ready' };
  }
}
