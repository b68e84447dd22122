/** Which page of a list is asked for. */
export interface PageRequest {
  /** From 1. */
  readonly page: number;
  readonly pageSize: number;
}

/** One page, and how many there are in all that match. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

/** How many items stand before the page. */
export const offsetOf = ({ page, pageSize }: PageRequest): number => (page - 1) * pageSize;
