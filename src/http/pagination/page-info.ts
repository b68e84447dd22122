import { ApiProperty } from '@nestjs/swagger';
import { MAX_PAGE, PAGE_SIZES } from './page-query.js';
import type { PageRequest } from './page-request.js';

/** Which page of a list an answer holds, and how many there are. */
export class PageInfo {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: MAX_PAGE })
  page!: number;

  @ApiProperty({ type: 'integer', enum: PAGE_SIZES })
  pageSize!: number;

  @ApiProperty({ description: 'All that match, not those on this page.', type: 'integer', minimum: 0 })
  total!: number;

  @ApiProperty({ description: '1 also where nothing matches.', type: 'integer', minimum: 1 })
  pages!: number;
}

export const pageInfo = ({ page, pageSize }: PageRequest, total: number): PageInfo => ({
  page,
  pageSize,
  total,
  pages: Math.max(1, Math.ceil(total / pageSize)),
});
