import { Body, Controller, Get, Param, Post, Res } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CiAuth, CurrentCaller, Requires } from '../../auth/access.decorators.js';
import type { CiCaller, MemberCaller } from '../../auth/caller.js';
import { BodyKind } from '../../http/body/body-parser.js';
import type { UnreadJson } from '../../http/body/json-body.js';
import { ErrorCodes, ErrorResponses, ExampleBody, IdParam } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { ArtifactListService } from './artifact-list.service.js';
import { ArtifactStatementsMetrics } from './artifact-statements.metrics.js';
import { ArtifactStatementsService } from './artifact-statements.service.js';
import { ArtifactListDto, ArtifactReceipt, ArtifactStatement } from './artifacts.dto.js';

const STATEMENT = {
  repo: 'acme/payments',
  version: 'v1.4.0',
  name: 'api',
  digest: `sha256:${'4f1c2d9e'.repeat(8)}`,
} satisfies ArtifactStatement;

@ApiTags('artifacts')
@Controller('api')
export class ArtifactsController {
  constructor(
    private readonly statements: ArtifactStatementsService,
    private readonly artifacts: ArtifactListService,
    private readonly metrics: ArtifactStatementsMetrics,
  ) {}

  @Post('artifacts')
  @CiAuth('evidence:write')
  @RateLimited('upload')
  @BodyKind('upload')
  @ApiOperation({ summary: 'State the digest of an artifact of a release' })
  @ApiBody({ type: ArtifactStatement })
  @ExampleBody(STATEMENT)
  @ApiCreatedResponse({
    type: ArtifactReceipt,
    description: 'The artifact is stored. Its bundle is verified by a job.',
  })
  @ApiOkResponse({ type: ArtifactReceipt, description: 'The same statement was stored before.' })
  @ErrorResponses({
    403: 'Runs of this event cannot state artifacts.',
    404: 'The repository does not exist, the credential cannot upload for it, or it has no release of this version.',
    409: 'The release is shipped.',
    413: 'The bundle is larger than 1 MB, or the release has the maximum of 100 artifacts or 20 bundles.',
    422: 'An API key sent no bundle, or no commit is known.',
  })
  @ErrorCodes({ 409: ['shipped'] })
  async stateArtifact(
    @CurrentCaller() caller: CiCaller,
    @Body() body: UnreadJson | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ArtifactReceipt> {
    return this.metrics.observe(reply, () => this.statements.receive(caller, body, reply));
  }

  @Get('milestones/:id/artifacts')
  @Requires('member')
  @RateLimited('session')
  @ApiOperation({ summary: 'List the artifacts of a release' })
  @IdParam('release')
  @ApiOkResponse({ type: ArtifactListDto, description: 'The artifacts with the results of their bundles.' })
  @ErrorResponses({ 404: 'You can read no release with this id.' })
  async listArtifacts(@CurrentCaller() { viewer }: MemberCaller, @Param('id') id: string): Promise<ArtifactListDto> {
    return this.artifacts.list(viewer, id);
  }
}
