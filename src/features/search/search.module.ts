import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { SearchController } from './search.controller.js';
import { SearchQueries } from './search.queries.js';
import { SearchService } from './search.service.js';

/**
 * A user finds everything of the workspace by one term, without knowing the screen. Each list has a search of its own, which is
 * complete and paged. Begin at `search.service.ts`.
 */
@Module({
  imports: [AccountsModule],
  controllers: [SearchController],
  providers: [SearchQueries, SearchService],
})
export class SearchModule {}
