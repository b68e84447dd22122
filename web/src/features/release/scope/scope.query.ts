import { api, readBody, type Schema } from '../../../api/client.js';
import { useAction } from '../../../ui/use-action.js';
import { scopeText as partText } from '../../../texts/en/release-parts.js';

type Change = Schema<'ScopeChangeRequest'>;

const INVERSES = { link: 'unlink', unlink: 'link', assign: 'unassign', unassign: 'assign' } as const satisfies Record<
  Change['action'],
  Change['action']
>;

const describe = ({ action, number, assignee = '' }: Change): string => partText[action].done(number, assignee);

/**
 * A change of the scope, in the name of the user. `isClosed` says that the issue is closed: then it cannot be linked again, so that an
 * unlink has no inverse.
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
