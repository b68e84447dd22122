import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches } from 'class-validator';
import type { PageRequest } from './page-request.js';

export const MAX_PAGE = 100_000;
export const PAGE_SIZES = [10, 25, 50] as const;

const FIRST_PAGE = 1;
const DEFAULT_PAGE_SIZE = 25;

/** The two parameters of every list that has pages; a list with filters extends it. */
export class PageQuery {
  @ApiPropertyOptional({
    description: 'Which page; it or `pageSize` turns pagination on. A page past the last one is empty.',
    type: 'integer',
    minimum: 1,
    maximum: MAX_PAGE,
    default: FIRST_PAGE,
  })
  @IsOptional()
  @Matches(/^(?:[1-9]\d{0,4}|100000)$/, { message: `page must be an integer from 1 to ${MAX_PAGE}` })
  page?: string;

  @ApiPropertyOptional({
    description: 'How many a page holds.',
    type: 'integer',
    enum: PAGE_SIZES,
    default: DEFAULT_PAGE_SIZE,
  })
  @IsOptional()
  @IsIn(PAGE_SIZES.map(String), { message: `pageSize must be ${PAGE_SIZES.join(', ')}` })
  pageSize?: string;
}

/** The page that is asked for; null where the whole list is. */
export function pageOf({ page, pageSize }: PageQuery): PageRequest | null {
  if (page === undefined && pageSize === undefined) return null;
  return { page: Number(page ?? FIRST_PAGE), pageSize: Number(pageSize ?? DEFAULT_PAGE_SIZE) };
}
