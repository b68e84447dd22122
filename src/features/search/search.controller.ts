import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../auth/access.decorators.js';
import type { MemberCaller } from '../../auth/caller.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { SearchQuery, SearchResultsDto } from './search.dto.js';
import { SearchService } from './search.service.js';

@ApiTags('search')
@RateLimited('session')
@Controller('api/search')
export class SearchController {
  constructor(private readonly found: SearchService) {}

  @Get()
  @Requires('member')
  @ApiOperation({ summary: 'Find releases, repositories, projects, commits and members of the workspace' })
  @ApiOkResponse({ type: SearchResultsDto, description: 'What you can read and the term matches, a few of each kind.' })
  async searchWorkspace(
    @CurrentCaller() { viewer }: MemberCaller,
    @Query() { q }: SearchQuery,
  ): Promise<SearchResultsDto> {
    return this.found.search(viewer, q);
  }
}
