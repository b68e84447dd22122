import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, readBody, type Schema } from '../../../api/client.js';
import { useAction } from '../../../ui/use-action.js';
import { scopeText as partText } from '../../../texts/en/release-parts.js';

type Change = Schema<'ScopeChangeRequest'>;

const INVERSES = { link: 'unlink', unlink: 'link', assign: 'unassign', unassign: 'assign' } as const satisfies Record<
  Change['action'],
  Change['action']
>;

const describe = ({ action, number, assignee = '' }: Change): string => partText[action].done(number, assignee);

/** A result is shown until the next one, and read again each time: a link or a user on GitHub changes it without an event. */
const SEARCH = { placeholderData: keepPreviousData, gcTime: 0 };

const toSearch = (search: string) => (search === '' ? {} : { search });

/** Issues that can be linked to the release. */
export const candidatesQuery = (id: string, search: string) =>
  queryOptions({
    queryKey: ['scope-candidates', id, search],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: toSearch(search) };
      return (await readBody(api.GET('/api/milestones/{id}/scope/candidates', { params, signal }))).issues;
    },
    ...SEARCH,
  });

/** Users to whom issues of the release can be assigned. */
export const assigneesQuery = (id: string, search: string) =>
  queryOptions({
    queryKey: ['scope-assignees', id, search],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: toSearch(search) };
      return (await readBody(api.GET('/api/milestones/{id}/scope/assignees', { params, signal }))).users;
    },
    ...SEARCH,
  });

/**
 * A change of the scope, in the name of the user. If `isClosed` is true, the issue cannot be linked again, so an unlink has no
 * inverse.
 */
export function useScopeChange(
  id: string,
  { isClosed = false, onDone }: { isClosed?: boolean; onDone?: () => void } = {},
) {
  const send = (body: Change) => readBody(api.POST('/api/milestones/{id}/scope', { params: { path: { id } }, body }));
  return useAction({
    run: send,
    changes: [['release', id], ['releases']],
    done: (_, change: Change) => describe(change),
    undo: (_, change) =>
      change.action === 'unlink' && isClosed ? null : () => send({ ...change, action: INVERSES[change.action] }),
    ...(onDone && { onDone }),
  });
}
