import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { common } from '../texts/en/common.js';
import { ErrorState, Placeholder } from './states.js';

interface QueryRegionProps<Data> {
  readonly query: UseQueryResult<Data>;
  /** Names what could not be loaded. */
  readonly failed: string;
  /** The number of rows to keep the place for. */
  readonly rows?: number;
  /** `isStale` is true while other filters load or after a refresh failed: the content is old and must not be used. */
  readonly children: (data: Data, isStale: boolean) => ReactNode;
}

/**
 * The part of a screen that shows a query: a placeholder, an error with a button, or the data. Data that was loaded before stays under an
 * error.
 */
export function QueryRegion<Data>({ query, failed, rows, children }: QueryRegionProps<Data>) {
  const { data, error, isPlaceholderData, refetch } = query;
  return (
    <>
      {error && (
        <ErrorState title={data === undefined ? failed : common.stale} error={error} onRetry={() => void refetch()} />
      )}
      {data === undefined && !error && <Placeholder {...(rows !== undefined && { rows })} />}
      {data !== undefined && children(data, isPlaceholderData || error !== null)}
    </>
  );
}
