import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module, Query } from '@nestjs/common';
import { IsIn, IsOptional } from 'class-validator';
import { type Probe, startProbeApp } from '../../../test/support/probe-app.js';
import { pageOffset, pageInfo, toPageRequest, PageQuery, type PageRequest } from './pagination.dto.js';

class FilteredQuery extends PageQuery {
  @IsOptional()
  @IsIn(['all', 'blocked'])
  outcome?: string;
}

@Controller('lists')
class ListController {
  @Get('plain')
  plain(@Query() query: PageQuery): { readonly page: PageRequest | null } {
    return { page: toPageRequest(query) };
  }

  @Get('filtered')
  filtered(@Query() query: FilteredQuery): object {
    return { page: toPageRequest(query), outcome: query.outcome ?? null };
  }
}

@Module({ controllers: [ListController] })
class ListModule {}

let probe: Probe;

beforeAll(async () => {
  probe = await startProbeApp({}, ListModule);
});
afterAll(() => probe.shutdown.stop());

async function get(query: string, list = 'plain'): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${probe.url}/lists/${list}?${query}`);
  return { status: response.status, body: await response.json() };
}

const PAGE_PROBLEM = 'page must be an integer from 1 to 100000.';
const SIZE_PROBLEM = 'pageSize must be 10, 25, 50.';

describe('the page query', () => {
  it.each<[string, PageRequest | null]>([
    ['', null],
    ['page=1', { page: 1, pageSize: 25 }],
    ['page=100000', { page: 100_000, pageSize: 25 }],
    ['page=99999&pageSize=10', { page: 99_999, pageSize: 10 }],
    ['pageSize=10', { page: 1, pageSize: 10 }],
    ['pageSize=25', { page: 1, pageSize: 25 }],
    ['pageSize=50&page=7', { page: 7, pageSize: 50 }],
  ])('accepts "%s"', async (query, page) => {
    expect(await get(query)).toEqual({ status: 200, body: { page } });
  });

  it.each([
    'page=0',
    'page=-1',
    'page=1.5',
    'page=1.0',
    'page=1e3',
    'page=0x1',
    'page=100001',
    'page=999999999999999999999',
    'page=01',
    'page=%2B1',
    'page=+1',
    'page=1%20',
    'page=1%0A',
    'page=',
    'page',
    'page=null',
    'page=NaN',
    'page=one',
    'page=%D9%A1',
    'page=1&page=1',
    'page=1&page=2',
  ])('rejects the page "%s"', async (query) => {
    expect(await get(query)).toEqual({ status: 400, body: { error: PAGE_PROBLEM } });
    expect((await get(`${query}&pageSize=10`)).status).toBe(400);
  });

  it.each([
    'pageSize=20',
    'pageSize=0',
    'pageSize=100',
    'pageSize=-10',
    'pageSize=10.0',
    'pageSize=1e1',
    'pageSize=010',
    'pageSize=+10',
    'pageSize=10%20',
    'pageSize=',
    'pageSize',
    'pageSize=10&pageSize=10',
    'pageSize=10&pageSize=25',
  ])('rejects the page size "%s"', async (query) => {
    expect(await get(query)).toEqual({ status: 400, body: { error: SIZE_PROBLEM } });
  });

  it.each(['page[]=1', 'page[0]=1', 'pagesize=10', 'Page=1', 'page%5Bx%5D=1', 'limit=10', 'outcome=all'])(
    'rejects other names: "%s"',
    async (query) => {
      expect((await get(query)).status).toBe(400);
    },
  );

  it('reports all problems together', async () => {
    expect((await get('page=0&pageSize=20')).body).toEqual({
      error: 'page must be an integer from 1 to 100000; pageSize must be 10, 25, 50.',
    });
  });

  it('accepts a page together with the filters of a list', async () => {
    const page = { page: 2, pageSize: 25 };
    expect(await get('page=2&outcome=blocked', 'filtered')).toEqual({
      status: 200,
      body: { page, outcome: 'blocked' },
    });
    expect(await get('outcome=all', 'filtered')).toEqual({ status: 200, body: { page: null, outcome: 'all' } });
    expect((await get('page=0&outcome=all', 'filtered')).status).toBe(400);
    expect((await get('page=1&outcome=none', 'filtered')).status).toBe(400);
  });

  it('skips the items of the pages before', () => {
    expect(pageOffset({ page: 1, pageSize: 50 })).toBe(0);
    expect(pageOffset({ page: 100_000, pageSize: 50 })).toBe(4_999_950);
  });

  it.each([
    [0, 1],
    [1, 1],
    [25, 1],
    [26, 2],
    [50, 2],
    [51, 3],
  ])('reports %d items as %d pages', (total, pages) => {
    const page = { page: 3, pageSize: 25 };
    expect(pageInfo(page, total)).toEqual({ ...page, total, pages });
  });
});
