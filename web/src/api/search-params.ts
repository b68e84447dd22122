/** The parameters of a URL before they are parsed. */
export type RawSearch = Readonly<Record<string, unknown>>;

export const DEFAULT_PAGE_SIZE = 25;
const PAGE_SIZES = [10, DEFAULT_PAGE_SIZE, 50] as const;
const MAX_SEARCH_LENGTH = 200;
const MAX_LABEL_LENGTH = 100;
const MAX_PAGE = 100_000;

type PageSize = (typeof PAGE_SIZES)[number];

/** The page in the URL. The first page and the default size are absent. */
export interface PageSearch {
  readonly page?: number | undefined;
  readonly size?: PageSize | undefined;
}

/** Parses the number of a page. Undefined for the first page and for invalid values. */
export function parsePageNumber(value: unknown): number | undefined {
  const page = Number(value);
  return Number.isInteger(page) && page > 1 && page <= MAX_PAGE ? page : undefined;
}

/** Parses the page. Ignores invalid values. */
export function parsePage(query: RawSearch): PageSearch {
  const page = parsePageNumber(query['page']);
  const size = PAGE_SIZES.find((value) => value === Number(query['size']));
  return {
    ...(page !== undefined && { page }),
    ...(size && size !== DEFAULT_PAGE_SIZE && { size }),
  };
}

/** Parses a text, at most as long as the service accepts. Undefined if it is absent or blank. */
export function parseText(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim().slice(0, MAX_SEARCH_LENGTH) : '';
  return text === '' ? undefined : text;
}

/** Parses an exact name, for example of an environment. Undefined if it is absent, blank or longer than the service accepts. */
export function parseLabel(value: unknown): string | undefined {
  const text = parseText(value);
  return text === undefined || text.length > MAX_LABEL_LENGTH ? undefined : text;
}

/** Parses one of these values. Undefined for every other. */
export const parseChoice = <Value extends string>(values: readonly Value[], value: unknown): Value | undefined =>
  values.find((candidate) => candidate === value);

/** Parses a day, for example "2026-11-23". Undefined if there is no such day. */
export function parseDay(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return undefined;
  const time = Date.parse(`${value}T00:00:00Z`);
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== value ? undefined : value;
}

/** Leaves out what is undefined, so that neither the URL nor a request names it. */
export const compact = <Search extends object>(search: Search) =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as {
    readonly [Name in keyof Search]?: Exclude<Search[Name], undefined>;
  };
