import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/client.js';

/** Set when the service answers 401. The frame then shows that the session has ended. */
export const SESSION_ENDED = ['session', 'ended'] as const;

const RETRIES = 2;
const STALE_MS = 30_000;

/** Creates the query client. Reads are repeated twice if the service does not answer; actions never repeat by themselves. */
export function createQueryClient(): QueryClient {
  const onError = (error: Error): void => {
    if (error instanceof ApiError && error.status === 401) client.setQueryData(SESSION_ENDED, true);
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: STALE_MS,
        retry: (count, error) => count < RETRIES && error instanceof ApiError && isTemporary(error.status),
      },
      mutations: { retry: false },
    },
  });
  return client;
}

/** Whether the same request may succeed a little later. Status 0 means that the service was not reached. */
const isTemporary = (status: number): boolean => status === 0 || status === 500 || status === 502 || status === 503;
