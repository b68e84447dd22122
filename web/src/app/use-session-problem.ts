import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { resumeRequests, stopRequests, type Schema } from '../api/client.js';
import { meQuery, readPresentUser } from '../api/session.query.js';
import { SESSION_PROBLEM, type SessionProblem } from '../live/session-problem.js';
import { listenToTabs } from '../live/tabs.js';
import { text } from '../texts/en/frame.js';
import { notify } from '../ui/notices.js';

/**
 * Returns why the screen cannot be used; null if it can. Meanwhile the page sends no request and hides its dialogs, but keeps them with
 * everything that the user has typed. It continues when the same user has opened the same workspace in another tab.
 */
export function useSessionProblem(org: string): SessionProblem | null {
  const client = useQueryClient();
  const { data: problem = null } = useQuery<SessionProblem | null>({ queryKey: SESSION_PROBLEM, queryFn: skipToken });
  const isUsable = problem === null;
  useHiddenDialogs(!isUsable);
  useEffect(() => {
    if (isUsable) return undefined;
    stopRequests();
    const listening = new AbortController();
    const { signal } = listening;
    const look = async (): Promise<void> => {
      const present = await readPresentUser().catch(() => null);
      // Without a workspace the user is still signing in.
      if (signal.aborted || present === null || present.workspace === null) return;
      const found = findProblem(present, client.getQueryData(meQuery.queryKey), org);
      if (found === null) {
        resumeRequests();
        client.setQueryData(meQuery.queryKey, present);
        notify(text.continued);
      }
      client.setQueryData<SessionProblem | null>(SESSION_PROBLEM, found);
      if (found === null) void client.invalidateQueries();
    };
    // A tab that opens a workspace requests the status of the stream, so it has a session.
    listenToTabs((message) => void ('request' in message && look()), signal);
    return () => listening.abort();
  }, [isUsable, client, org]);
  return problem;
}

/** Compares the user of the present session with the one of this page. */
function findProblem(
  { user, workspace }: Schema<'CurrentUser'>,
  former: Schema<'CurrentUser'> | undefined,
  org: string,
): SessionProblem | null {
  if (user.id !== former?.user.id) return 'other_user';
  return workspace?.org.toLowerCase() === org.toLowerCase() ? null : 'other_workspace';
}

/** Hides the dialogs, which are outside of the content and would cover the sign-in. Afterwards the focus returns to where it was. */
function useHiddenDialogs(areHidden: boolean): void {
  const focused = useRef<Element | null>(null);
  useLayoutEffect(() => {
    if (!areHidden) {
      if (focused.current instanceof HTMLElement) focused.current.focus();
      return undefined;
    }
    focused.current = document.activeElement;
    const dialogs = document.querySelector<HTMLElement>('#__primerPortalRoot__');
    if (dialogs) dialogs.hidden = true;
    // Otherwise the key closes a dialog that the user does not see.
    const stopEscape = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') event.stopImmediatePropagation();
    };
    addEventListener('keydown', stopEscape, { capture: true });
    return () => {
      if (dialogs) dialogs.hidden = false;
      removeEventListener('keydown', stopEscape, { capture: true });
    };
  }, [areHidden]);
}
