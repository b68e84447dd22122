import { queryOptions, type QueryKey } from '@tanstack/react-query';
import { api, readBody, type Schema } from '../../../api/client.js';

/** A waiver or a break-glass request of one release. */
export type Override = Pick<
  Schema<'ListedOverride'>,
  | 'kind'
  | 'id'
  | 'reason'
  | 'requestedAt'
  | 'requestedBy'
  | 'requestedById'
  | 'confirmedBy'
  | 'expiresAt'
  | 'sha'
  | 'details'
  | 'subjects'
>;

/** The active waivers and break-glass requests of a release, oldest first, confirmed or not. */
export const overridesQuery = (id: string) =>
  queryOptions({
    queryKey: ['release', id, 'overrides'],
    queryFn: async ({ signal }): Promise<readonly Override[]> => {
      const params = { path: { id } };
      const [{ waivers }, { breakGlass }] = await Promise.all([
        readBody(api.GET('/api/milestones/{id}/waivers', { params, signal })),
        readBody(api.GET('/api/milestones/{id}/break-glass', { params, signal })),
      ]);
      return [
        ...waivers.map((waiver) => ({ ...waiver, kind: 'waiver' as const, sha: waiver.candidateSha })),
        ...breakGlass.map((request) => ({ ...request, kind: 'break_glass' as const, details: null, subjects: null })),
      ];
    },
  });

/** The queries that a change of an override concerns. */
export const overrideChanges = (id: string): readonly QueryKey[] => [['release', id], ['releases'], ['overrides']];

/** Confirms the request of another admin. */
export const confirmOverride = (
  id: string,
  { kind, id: overrideId }: Pick<Override, 'kind' | 'id'>,
): Promise<unknown> =>
  kind === 'waiver'
    ? readBody(
        api.POST('/api/milestones/{id}/waivers/{waiverId}/confirm', { params: { path: { id, waiverId: overrideId } } }),
      )
    : readBody(
        api.POST('/api/milestones/{id}/break-glass/{requestId}/confirm', {
          params: { path: { id, requestId: overrideId } },
        }),
      );

/** Withdraws an override, confirmed or not. */
export const withdrawOverride = (id: string, { kind, id: overrideId }: Pick<Override, 'kind' | 'id'>) =>
  kind === 'waiver'
    ? readBody(
        api.DELETE('/api/milestones/{id}/waivers/{waiverId}', { params: { path: { id, waiverId: overrideId } } }),
      )
    : readBody(
        api.DELETE('/api/milestones/{id}/break-glass/{requestId}', { params: { path: { id, requestId: overrideId } } }),
      );
