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

/** What a supervisor and a load balancer ask. Neither is counted by a rate limit: probes must never be refused. */
@ApiTags('operation')
@Controller('api/health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  /** Alive: the process answers. A restart helps where it does not. */
  @Get()
  @Public()
  @ApiOperation({ summary: 'Is the process alive?', description: 'A restart helps where it does not answer.' })
  @ApiOkResponse({ description: 'It is.', schema: statusSchema('ok') })
  alive(): { readonly status: 'ok' } {
    return { status: 'ok' };
  }

  /** Ready: the process can do its work. Traffic goes elsewhere where it cannot; a restart would not help. */
  @Get('ready')
  @Public()
  @ApiOperation({
    summary: 'Can the process do its work?',
    description: 'Traffic should go elsewhere where it cannot; a restart would not help.',
  })
  @ApiOkResponse({ description: 'It can.', schema: statusSchema('ready') })
  @ErrorResponses({ 503: 'It cannot; the sentence names what is missing.' })
  async ready(): Promise<{ readonly status: 'ready' }> {
    const failing = await this.readiness.findFailures();
    if (failing.length > 0) {
      throw new DomainError('unavailable', `Not ready: ${failing.join(', ')}.`, { retryAfterSeconds: RETRY_SECONDS });
    }
    return { status: 'ready' };
  }
}
