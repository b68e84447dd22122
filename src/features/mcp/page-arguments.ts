import { z } from 'zod';
import { MAX_PAGE, PAGE_SIZES } from '../../http/pagination/page-query.js';

/** The arguments of every tool that answers a page of a list. */
export const PAGE_ARGUMENTS = {
  page: z.int().min(1).max(MAX_PAGE).default(1).describe('Which page; one past the last is empty.'),
  pageSize: z.literal(PAGE_SIZES).default(25).describe('How many a page holds.'),
};

/** Which page an answer holds, and how many there are. */
export const PAGE_SHAPE = z.object({
  page: z.int(),
  pageSize: z.int(),
  total: z.int().describe('All that match, not those on this page.'),
  pages: z.int().describe('1 also where nothing matches.'),
});
