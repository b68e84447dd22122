import { Controller, Get, Header, Param, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CurrentCaller, Public, Requires } from '../../auth/access.decorators.js';
import type { CiCaller, MemberCaller } from '../../auth/caller.js';
import { repositoryRateLimitKey } from '../../auth/rate-limit-key.js';
import { ErrorResponses, IdParam } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { RateLimitService } from '../../http/rate-limit/rate-limit.service.js';
import type { CountByRepository } from '../releases/gate/gate.service.js';
import { SigningService } from '../signing/signing.service.js';
import { StatementDto, StatementKeysDto, StatementQuery } from './statements.dto.js';
import { StatementsMetrics } from './statements.metrics.js';
import { StatementsService } from './statements.service.js';

@ApiTags('milestones')
@Controller('api')
export class StatementsController {
  constructor(
    private readonly statements: StatementsService,
    private readonly keys: SigningService,
    private readonly limits: RateLimitService,
    private readonly metrics: StatementsMetrics,
  ) {}

  @Get('milestones/:id/statement')
  @Requires('member', { ci: 'gate:read' })
  @RateLimited('gate')
  @ApiOperation({ summary: 'Get a signed statement about the deploy gate of a release' })
  @IdParam('release')
  @ApiOkResponse({
    type: StatementDto,
    description:
      'The answer of the gate, signed by the service. A closed gate, and a digest that is not an accepted artifact of the candidate, give the result FAILED.',
  })
  @ErrorResponses({
    404: 'You can read the gate of no release with this id, or its policy names no such environment.',
    409: 'The release has no candidate commit, and the request names no digest.',
  })
  async getStatement(
    @CurrentCaller() caller: CiCaller | MemberCaller,
    @Param('id') id: string,
    @Query() query: StatementQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StatementDto> {
    // The guard counts runs and users. The requests of all keys also count for the repository, as those for the gate do.
    const count: CountByRepository = async (repository) => {
      if (caller.kind === 'api_key')
        await this.limits.consume('gate', repositoryRateLimitKey(caller.orgId, repository), reply);
    };
    const asked = 'viewer' in caller ? caller.viewer : caller;
    const statement = await this.statements.getStatement(asked, id, query, count);
    this.metrics.count(statement);
    return statement;
  }

  @Get('statement-keys')
  @Public()
  @RateLimited('public')
  @Header('Cache-Control', 'public, max-age=300')
  @ApiOperation({ summary: 'List the public keys that sign statements' })
  @ApiOkResponse({
    type: StatementKeysDto,
    description: 'All keys, including retired ones, because their statements stay valid until they expire.',
  })
  @ErrorResponses({ 503: 'A required system is not available.' })
  async listStatementKeys(): Promise<StatementKeysDto> {
    return this.keys.getKeySet();
  }
}
