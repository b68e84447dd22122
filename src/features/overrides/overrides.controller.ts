import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../auth/access.decorators.js';
import type { MemberCaller } from '../../auth/caller.js';
import { Revalidated } from '../../http/entity-tags.js';
import { FIRST_PAGE, pageInfo, toPageRequest } from '../../http/pagination/pagination.dto.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { OverrideListDto, OverrideListQuery } from './overrides.dto.js';
import { OverridesService } from './overrides.service.js';

@ApiTags('overrides')
@RateLimited('session')
@Controller('api/overrides')
export class OverridesController {
  constructor(private readonly overrides: OverridesService) {}

  @Get()
  @Requires('member')
  @Revalidated()
  @ApiOperation({ summary: 'List the waivers and break-glass requests of all releases' })
  @ApiOkResponse({
    type: OverrideListDto,
    description:
      'A page of the overrides of the releases that you can read. Without `page` and `pageSize` it is the first page. Overrides of releases that are shipped or cancelled or have another candidate are left out.',
  })
  async listOverrides(
    @CurrentCaller() { viewer }: MemberCaller,
    @Query() query: OverrideListQuery,
  ): Promise<OverrideListDto> {
    const page = toPageRequest(query) ?? FIRST_PAGE;
    const { items, total } = await this.overrides.listPage(viewer, query.state ?? null, page);
    return { overrides: items, pagination: pageInfo(page, total) };
  }
}
