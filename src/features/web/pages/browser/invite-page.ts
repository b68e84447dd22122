import { request, type Me, type Role, signInAddress } from './api.js';
import { browser, button, element, failure, heading, link, type PageElement, paragraph, place, show } from './dom.js';

interface Acceptance {
  readonly workspace: { readonly org: string; readonly role: Role };
}

/** The key of the token in the session storage, where it stays while the user signs in. */
const STORAGE_KEY = 'shipgate.invite';
const TITLE = 'Invite';
const INVITED = 'You are invited to Shipgate';

/** The statuses of an invite that can never be accepted. */
const FINAL: readonly number[] = [404, 410];

/** Reads the token from the URL and removes it there: it is a secret, and browsers store URLs in their history. */
function takeToken(): string | null {
  const given = browser.location.hash.slice(1);
  if (given !== '') {
    browser.sessionStorage.setItem(STORAGE_KEY, given);
    browser.history.replaceState(null, '', '/invite');
  }
  return browser.sessionStorage.getItem(STORAGE_KEY);
}

async function open(): Promise<void> {
  const invite = takeToken();
  if (invite === null) return showNothing();
  if (place('view').getAttribute('data-session') === 'none') return showSignIn();
  const me = await request<Me>('/api/auth/me');
  if (me.ok) showInvite(invite, me.body.user.login);
  else if (me.status === 401) showSignIn();
  else show(TITLE, heading(INVITED), failure(me.error), button('Try again', 'secondary', open));
}

function showInvite(invite: string, login: string): void {
  const trouble = element('div', {});
  show(
    TITLE,
    heading(INVITED),
    paragraph('The admin of a workspace has invited you to it.', 'lead'),
    paragraph(`You are signed in as ${login}. This account will become a member.`),
    trouble,
    element(
      'div',
      { class: 'actions' },
      button('Accept the invite', '', () => accept(invite, trouble)),
      link('Use another account', signInAddress('/invite'), 'button secondary'),
    ),
  );
}

async function accept(invite: string, trouble: PageElement): Promise<void> {
  const answer = await request<Acceptance>('/api/team/invites/accept', 'POST', { token: invite });
  if (answer.ok) showWelcome(answer.body);
  else if (answer.status === 401) showSignIn();
  else if (FINAL.includes(answer.status)) showRejection(answer.error);
  else trouble.replaceChildren(failure(answer.error));
}

function showWelcome({ workspace: { org, role } }: Acceptance): void {
  browser.sessionStorage.removeItem(STORAGE_KEY);
  show(
    'Welcome',
    heading(`Welcome to ${org}`),
    paragraph(
      role === 'admin' ? 'You are an admin of the workspace now.' : 'You are a member of the workspace now.',
      'lead',
    ),
    element('p', {}, link('Go to the workspace', '/', 'button')),
  );
}

function showRejection(error: string): void {
  browser.sessionStorage.removeItem(STORAGE_KEY);
  show(
    TITLE,
    heading('This invite does not let you in'),
    failure(error),
    element('p', {}, link('Go to Shipgate', '/', 'button secondary')),
  );
}

function showSignIn(): void {
  show(
    TITLE,
    heading(INVITED),
    paragraph('Sign in with the GitHub account that is to come in; then you are back here to accept.', 'lead'),
    element('p', {}, link('Sign in with GitHub', signInAddress('/invite'), 'button')),
  );
}

function showNothing(): void {
  show(
    TITLE,
    heading('There is no invite here'),
    failure('The address holds none: open the whole link, or ask for it again.'),
    element('p', {}, link('Go to Shipgate', '/', 'button secondary')),
  );
}

// The link of another invite, opened in the same tab, changes the fragment and loads nothing.
browser.addEventListener('hashchange', () => void open());
await open();
