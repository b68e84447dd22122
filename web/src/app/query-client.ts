import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/client.js';
import { SESSION_PROBLEM, type SessionProblem } from '../live/session-problem.js';

const RETRIES = 2;
const STALE_MS = 30_000;

/** Creates the query client. Reads are repeated twice if the service does not answer; actions never repeat by themselves. */
export function createQueryClient(): QueryClient {
  const onError = (error: Error): void => {
    const problem = findSessionProblem(error);
    // Keeps the first problem. After it the page refuses all requests, so a later error says nothing about the session.
    const isFirst = (client.getQueryData<SessionProblem | null>(SESSION_PROBLEM) ?? null) === null;
    if (problem !== null && isFirst) client.setQueryData<SessionProblem>(SESSION_PROBLEM, problem);
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // Without a network a request must fail, and an action must not be sent later.
      queries: {
        networkMode: 'always',
        staleTime: STALE_MS,
        retry: (count, error) => count < RETRIES && error instanceof ApiError && isTemporary(error.status),
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
  return client;
}

function findSessionProblem(error: Error): SessionProblem | null {
  if (!(error instanceof ApiError)) return null;
  if (error.status === 401) return 'ended';
  if (error.code === 'no_workspace') return 'no_access';
  return error.code === 'other_workspace' ? 'other_workspace' : null;
}

/** Whether the same request may succeed a little later. Status 0 means that the service was not reached. */
const isTemporary = (status: number): boolean => status === 0 || status === 500 || status === 502 || status === 503;
