import { LRUCache } from 'lru-cache';

/** A response that can be requested again under its ETag. */
export interface CachedResponse {
  readonly etag: string;
  readonly text: string;
  readonly link: string | null;
}

const MAX_CHARACTERS = 32 * 1024 * 1024;

/** Creates a cache of a bounded total size. A response of more than an eighth of that size is not stored. */
export const createResponseCache = (maxSize = MAX_CHARACTERS): LRUCache<string, CachedResponse> =>
  new LRUCache({
    maxSize,
    maxEntrySize: maxSize / 8,
    sizeCalculation: ({ text }, key) => key.length + text.length,
  });
