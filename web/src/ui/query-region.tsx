import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { common } from '../texts/en/common.js';
import { ErrorState, OtherFiltersContext, Placeholder } from './states.js';

interface QueryErrorProps {
  readonly query: Pick<UseQueryResult, 'data' | 'error' | 'refetch'>;
  /** Names what could not be loaded. */
  readonly failed: string;
}

/** Shows that a query failed, and tries again on request. Nothing if it did not fail. */
export function QueryError({ query: { data, error, refetch }, failed }: QueryErrorProps) {
  if (error === null) return null;
  return <ErrorState title={data === undefined ? failed : common.stale} error={error} onRetry={() => void refetch()} />;
}

interface QueryRegionProps<Data> extends QueryErrorProps {
  readonly query: UseQueryResult<Data>;
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
  const { data, error, isPlaceholderData } = query;
  return (
    <>
      <QueryError query={query} failed={failed} />
      {data === undefined && !error && <Placeholder {...(rows !== undefined && { rows })} />}
      {data !== undefined && (
        <OtherFiltersContext value={isPlaceholderData}>
          {children(data, isPlaceholderData || error !== null)}
        </OtherFiltersContext>
      )}
    </>
  );
}
