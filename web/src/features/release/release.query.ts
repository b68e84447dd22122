import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, use } from 'react';
import { api, readBody, type Schema } from '../../api/client.js';

type Look = 'stored' | 'live';

/** How long a live read counts as current after its screen was left. */
const LIVE_MS = 5_000;

/**
 * One release. `stored` asks only the service, so it is the first paint, and what follows an event or an action. `live` makes the service
 * read GitHub first, which takes up to three seconds and of which a workspace has a limited number: it runs when the screen opens and when
 * the user asks for it, never because of an invalidation.
 */
export const releaseQuery = (id: string, look: Look) =>
  queryOptions({
    queryKey: ['release', id, look],
    queryFn: ({ signal }) =>
      readBody(api.GET('/api/milestones/{id}', { params: { path: { id }, query: { look } }, signal })),
    ...(look === 'live' ? { staleTime: 'static' as const, gcTime: LIVE_MS } : { staleTime: LIVE_MS }),
  });

export interface KnownRelease {
  readonly details: Schema<'ReleaseDetails'> | undefined;
  /** Whether GitHub is being read. */
  readonly isReading: boolean;
  /** Why nothing is known, or why what is known could not be refreshed. */
  readonly error: Error | null;
  /** Reads GitHub again. */
  readonly readAgain: () => Promise<unknown>;
}

/** Reads a release: the stored one at once, and the live one in its place. The newer answer wins. */
export function useReleaseReads(id: string): KnownRelease {
  const client = useQueryClient();
  const stored = useQuery(releaseQuery(id, 'stored'));
  const live = useQuery(releaseQuery(id, 'live'));
  const isLive = live.data !== undefined && live.dataUpdatedAt >= stored.dataUpdatedAt;
  return {
    details: isLive ? live.data : (stored.data ?? live.data),
    isReading: live.isFetching,
    error: live.error ?? stored.error,
    readAgain: () => client.fetchQuery({ ...releaseQuery(id, 'live'), staleTime: 0 }),
  };
}

export const ReleaseContext = createContext<Schema<'ReleaseDetails'> | null>(null);

/** The best known state of the release of this screen. Only for the parts of its screen. */
export function useRelease(): Schema<'ReleaseDetails'> {
  const details = use(ReleaseContext);
  if (details === null) throw new Error('There is no release outside of its screen.');
  return details;
}
