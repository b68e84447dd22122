import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches } from 'class-validator';

/** The requested page of a list. */
export interface PageRequest {
  /** The page number, starting at 1. */
  readonly page: number;
  readonly pageSize: number;
}

/** One page of items, and the total number of items that match. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

/** Returns the number of items before the page. */
export const pageOffset = ({ page, pageSize }: PageRequest): number => (page - 1) * pageSize;

export const MAX_PAGE = 100_000;
export const PAGE_SIZES = [10, 25, 50] as const;

const DEFAULT_PAGE_SIZE = 25;

/** The page of a list without an unpaged form if the request names none. */
export const FIRST_PAGE: PageRequest = { page: 1, pageSize: DEFAULT_PAGE_SIZE };

/** The query parameters of every list with pages. A list with filters extends it. */
export class PageQuery {
  @ApiPropertyOptional({
    description: 'The page number. It or `pageSize` turns pagination on. A page after the last one is empty.',
    type: 'integer',
    minimum: 1,
    maximum: MAX_PAGE,
    default: FIRST_PAGE.page,
  })
  @IsOptional()
  @Matches(/^(?:[1-9]\d{0,4}|100000)$/, { message: `page must be an integer from 1 to ${MAX_PAGE}` })
  page?: string;

  @ApiPropertyOptional({
    description: 'The number of items of a page.',
    type: 'integer',
    enum: PAGE_SIZES,
    default: DEFAULT_PAGE_SIZE,
  })
  @IsOptional()
  @IsIn(PAGE_SIZES.map(String), { message: `pageSize must be ${PAGE_SIZES.join(', ')}` })
  pageSize?: string;
}

/** The members of a query. A caller other than a route may pass those that it does not use as undefined. */
export type QueryMembers<Query> = { readonly [Name in keyof Query]: Query[Name] | undefined };

/** The filter of a query; null means all. */
export type FilterOf<Query> = {
  readonly [Name in keyof Query as Exclude<Name, keyof PageQuery>]-?: NonNullable<Query[Name]> | null;
};

/** Returns the requested page. Null if the whole list is requested. */
export function toPageRequest({ page, pageSize }: PageQuery): PageRequest | null {
  if (page === undefined && pageSize === undefined) return null;
  return { page: Number(page ?? FIRST_PAGE.page), pageSize: Number(pageSize ?? DEFAULT_PAGE_SIZE) };
}

/** The page of an answer, and the total number of items. */
export class PageInfo {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: MAX_PAGE })
  page!: number;

  @ApiProperty({ type: 'integer', enum: PAGE_SIZES })
  pageSize!: number;

  @ApiProperty({
    description: 'The number of all items that match, not only of those on this page.',
    type: 'integer',
    minimum: 0,
  })
  total!: number;

  @ApiProperty({ description: 'The number of pages. 1 if no item matches.', type: 'integer', minimum: 1 })
  pages!: number;
}

export const pageInfo = ({ page, pageSize }: PageRequest, total: number): PageInfo => ({
  page,
  pageSize,
  total,
  pages: Math.max(1, Math.ceil(total / pageSize)),
});
