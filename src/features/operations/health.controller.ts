import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '../../auth/access.decorators.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { ErrorResponses } from '../../http/openapi.decorators.js';
import { Readiness } from '../../observability/readiness.js';

const RETRY_SECONDS = 5;

const statusSchema = (status: string): object => ({
  type: 'object',
  properties: { status: { type: 'string', enum: [status] } },
  required: ['status'],
});

/** The probes of supervisors and load balancers. They have no rate limit, because probes must never be rejected. */
@ApiTags('operation')
@Controller('api/health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  /** Responds while the process works. A restart helps if it does not. */
  @Get()
  @Public()
  @ApiOperation({
    summary: 'Check whether the process is alive',
    description: 'If there is no response, restart the process.',
  })
  @ApiOkResponse({ description: 'The process is alive.', schema: statusSchema('ok') })
  checkHealth(): { readonly status: 'ok' } {
    return { status: 'ok' };
  }

  /** Responds with `ready` while all required systems are available. */
  @Get('ready')
  @Public()
  @ApiOperation({
    summary: 'Check whether the process is ready',
    description: 'If it is not, send requests to another process. A restart does not help.',
  })
  @ApiOkResponse({ description: 'The process is ready.', schema: statusSchema('ready') })
  @ErrorResponses({
    503: 'A required system is not available, or the process is about to stop; the message names the reason.',
  })
  async checkReadiness(): Promise<{ readonly status: 'ready' }> {
    const failing = this.readiness.isStopping ? ['stopping'] : await this.readiness.findFailures();
    if (failing.length > 0) {
      throw new DomainError('unavailable', `Not ready: ${failing.join(', ')}.`, { retryAfterSeconds: RETRY_SECONDS });
    }
    return { status: 'ready' };
  }
}
