import { queryOptions, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { createContext, use } from 'react';
import { api, ApiError, readBody, type Schema } from '../../api/client.js';
import { parseText } from '../../api/search-params.js';
import { toServerTime } from '../../api/server-clock.js';

type ReadMode = 'stored' | 'live';

/** How long a live read counts as current after its screen was left. */
const LIVE_MS = 5_000;

/**
 * One release. `stored` reads only the stored facts of the service. The first paint uses it, and every read after an event or an
 * action. `live` makes the service read GitHub first, which takes up to three seconds. A workspace has a limited number of live
 * reads, so a live read runs when the screen opens and when the user requests it, never because of an invalidation.
 */
export const releaseQuery = (id: string, mode: ReadMode) =>
  queryOptions({
    queryKey: ['release', id, mode],
    queryFn: ({ signal }) =>
      readBody(api.GET('/api/milestones/{id}', { params: { path: { id }, query: { look: mode } }, signal })),
    ...(mode === 'live' ? { staleTime: 'static' as const, gcTime: LIVE_MS } : { staleTime: LIVE_MS }),
  });

/** The id of the release with this name. Null if there is none that the user can read. */
export const releaseByNameQuery = ({ org, repo, version }: Readonly<Record<'org' | 'repo' | 'version', string>>) =>
  queryOptions({
    queryKey: ['releases', 'name', { org, repo, version }],
    queryFn: async ({ signal }) => {
      const params = {
        path: { owner: org, repo },
        query: { search: parseText(version) ?? version, page: 1, pageSize: 50 as const },
      };
      const request = readBody(api.GET('/api/milestones/{owner}/{repo}', { params, signal }));
      const found = await request.catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      });
      return found?.milestones.find((release) => release.version === version)?.milestoneId ?? null;
    },
  });

/** The record of the deployment that shipped a release. Null if the history has none. */
export const deploymentQuery = ({ milestoneId, org, repo, version, deployedAt }: Schema<'Release'>) =>
  queryOptions({
    queryKey: ['history', 'release', milestoneId],
    queryFn: async ({ signal }) => {
      const query = { repository: `${org}/${repo}`, search: version, page: 1, pageSize: 50 as const };
      const { history } = await readBody(api.GET('/api/history', { params: { query }, signal }));
      const own = history.filter((record) => record.milestoneId === milestoneId);
      return own.find((record) => record.deployedAt === deployedAt) ?? own.at(-1) ?? null;
    },
  });

/** The result of the last live read of GitHub. */
export interface LastRead {
  readonly isRunning: boolean;
  readonly verification: Schema<'RefreshStatus'> | null;
  /** The time of the response, on the clock of the service. */
  readonly at: string | null;
}

/** Reads a release: the stored one at once, and the live one in its place. The newer answer wins. */
export function useReleaseReads(id: string): {
  readonly details: Schema<'ReleaseDetails'> | undefined;
  readonly lastRead: LastRead;
  /** Why there are no details, or why the details could not be refreshed. */
  readonly error: Error | null;
  /** Reads GitHub again. */
  readonly readAgain: () => void;
} {
  const stored = useQuery(releaseQuery(id, 'stored'));
  const live = useQuery(releaseQuery(id, 'live'));
  const isLive = live.data !== undefined && live.dataUpdatedAt >= stored.dataUpdatedAt;
  const details = isLive ? live.data : (stored.data ?? live.data);
  const error = findNewestError(live, stored);
  return {
    details: details !== undefined && error !== null ? toUnverified(details, error) : details,
    lastRead: {
      isRunning: live.isFetching,
      verification: live.data?.verification ?? null,
      at: live.data === undefined ? null : new Date(toServerTime(live.dataUpdatedAt)).toISOString(),
    },
    error,
    readAgain: () => void live.refetch({ cancelRefetch: false }),
  };
}

/** The error of the newest read. Null if a read has succeeded since. */
function findNewestError(...reads: readonly UseQueryResult[]): Error | null {
  const answeredAt = Math.max(...reads.map(({ dataUpdatedAt }) => dataUpdatedAt));
  return reads.find(({ error, errorUpdatedAt }) => error !== null && errorUpdatedAt > answeredAt)?.error ?? null;
}

/**
 * Returns the details from before a failed read with an unknown readiness, so that they do not look confirmed. Undefined if the
 * release no longer exists.
 */
function toUnverified(details: Schema<'ReleaseDetails'>, error: Error): Schema<'ReleaseDetails'> | undefined {
  if (error instanceof ApiError && error.status === 404) return undefined;
  const { release } = details;
  return { ...details, release: { ...release, readiness: { ...release.readiness, status: 'unknown' } } };
}

export const ReleaseContext = createContext<Schema<'ReleaseDetails'> | null>(null);

/** The best known state of the release of this screen. Only for the parts of its screen. */
export function useRelease(): Schema<'ReleaseDetails'> {
  const details = use(ReleaseContext);
  if (details === null) throw new Error('There is no release outside of its screen.');
  return details;
}
