import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../../auth/access.decorators.js';
import type { MemberCaller } from '../../../auth/caller.js';
import { Revalidated } from '../../../http/entity-tags.js';
import { ErrorResponses, IdParam } from '../../../http/openapi.decorators.js';
import { FIRST_PAGE, pageInfo, PageQuery, toPageRequest } from '../../../http/pagination/pagination.dto.js';
import { RateLimited } from '../../../http/rate-limit/rate-limit.guard.js';
import { EnvironmentListDto, EnvironmentListQuery, ReleaseDeploymentsDto } from './environments.dto.js';
import { EnvironmentsService } from './environments.service.js';

@ApiTags('milestones')
@RateLimited('session')
@Controller('api')
export class EnvironmentsController {
  constructor(private readonly environments: EnvironmentsService) {}

  @Get('environments')
  @Requires('member')
  @Revalidated()
  @ApiOperation({ summary: 'List what is deployed to the environments of the repositories' })
  @ApiOkResponse({
    type: EnvironmentListDto,
    description: 'A page of the repositories that you can read, with the environments that their policies name.',
  })
  async listEnvironments(
    @CurrentCaller() { viewer }: MemberCaller,
    @Query() query: EnvironmentListQuery,
  ): Promise<EnvironmentListDto> {
    const page = toPageRequest(query) ?? FIRST_PAGE;
    const { items, total } = await this.environments.listOfRepositories(viewer, query.search ?? null, page);
    return { repositories: items, pagination: pageInfo(page, total) };
  }

  @Get('milestones/:id/deployments')
  @Requires('member')
  @Revalidated()
  @ApiOperation({ summary: 'List the deployments of a release' })
  @IdParam('release')
  @ApiOkResponse({
    type: ReleaseDeploymentsDto,
    description: 'A page of the deployments of its candidate and of those reported for it, to every environment.',
  })
  @ErrorResponses({ 404: 'You can read no release with this id.' })
  async listReleaseDeployments(
    @CurrentCaller() { viewer }: MemberCaller,
    @Param('id') id: string,
    @Query() query: PageQuery,
  ): Promise<ReleaseDeploymentsDto> {
    const page = toPageRequest(query) ?? FIRST_PAGE;
    const { items, total } = await this.environments.listOfRelease(viewer, id, page);
    return { deployments: items, pagination: pageInfo(page, total) };
  }
}
