import { htmlDocument, waitingView } from './document.js';

const invitePage = (session: 'none' | 'maybe'): string =>
  htmlDocument({ title: 'Invite · Shipgate', main: waitingView(session), script: 'invite-page.js' });

/** Where the link of an invite leads to, for whoever brings no session. */
export const SIGNED_OUT_INVITE_PAGE = invitePage('none');

/** The same for whoever brings one, which may have ended since. */
export const INVITE_PAGE = invitePage('maybe');
