import { request, type Me, signInAddress } from './api.js';
import {
  avatar,
  browser,
  button,
  element,
  failure,
  heading,
  link,
  type PageElement,
  paragraph,
  place,
  show,
} from './dom.js';
import { workspaceOverview } from './workspace-overview.js';
import { roleBadge, signInOptions, type Workspace, workspaceChoices } from './workspace-picker.js';

/** The signed-in user and the selected workspace; null without a session. */
type SignInState = string | null;

const signInState = ({ user, workspace }: Me): SignInState => JSON.stringify([user.login, workspace]);

const READ_AGAIN_MS = 2_000;

let current: SignInState = null;

async function open(): Promise<void> {
  const [me, list] = await Promise.all([
    request<Me>('/api/auth/me'),
    request<{ readonly workspaces: readonly Workspace[] }>('/api/auth/workspaces'),
  ]);
  if (me.ok && list.ok) await showUser(me.body, list.body.workspaces);
  else if (!me.ok && me.status === 401) showEnded();
  else showTrouble([me, list].find((answer) => !answer.ok)?.error ?? '');
}

async function showUser(me: Me, workspaces: readonly Workspace[]): Promise<void> {
  current = signInState(me);
  showAccount(me);
  if (me.workspace !== null) showWorkspace(me.workspace, workspaces);
  else if (workspaces.length > 0) showChoice(workspaces);
  else if (me.reading === true) showReading();
  else show('No workspace', ...(await signInOptions(me.user.login)));
}

/** Tries again until the workspace exists. */
function showReading(): void {
  show(
    'Reading your organizations',
    heading('We are reading your organizations'),
    paragraph('This takes a few seconds. The page goes on by itself.', 'lead'),
  );
  setTimeout(() => void open(), READ_AGAIN_MS);
}

function showAccount({ user: { login, name, avatarUrl } }: Me): void {
  const trouble = element('div', {});
  const signOut = button('Sign out', 'secondary compact', async () => {
    const answer = await request('/api/auth/logout', 'POST');
    if (answer.ok || answer.status === 401) browser.location.assign('/');
    else {
      trouble.replaceChildren(failure(answer.error));
      place('view').append(trouble);
    }
  });
  const who = element('span', { class: 'who', title: `Signed in as ${login}` }, name ?? login);
  place('account').replaceChildren(avatar(avatarUrl), who, signOut);
}

function showWorkspace({ org, role }: NonNullable<Me['workspace']>, workspaces: readonly Workspace[]): void {
  const others = workspaces.filter(({ selected }) => !selected);
  const isInstalled = workspaces.find(({ selected }) => selected)?.installed ?? true;
  show(
    org,
    element('div', { class: 'title' }, heading(org), roleBadge(role)),
    isInstalled ? null : element('p', { class: 'notice' }, 'The app is not installed here now: no release moves on.'),
    others.length === 0 ? null : switcher(others),
    workspaceOverview(),
    element('p', {}, 'CI uploads evidence and asks the gate through ', link('the API', '/api/docs'), '.'),
  );
}

const switcher = (others: readonly Workspace[]): PageElement =>
  element('details', {}, element('summary', {}, 'Switch workspace'), workspaceChoices(others, open));

function showChoice(workspaces: readonly Workspace[]): void {
  show(
    'Choose a workspace',
    heading('Choose a workspace'),
    paragraph('You can switch at any time.', 'quiet'),
    workspaceChoices(workspaces, open),
  );
}

function showEnded(): void {
  current = null;
  place('account').replaceChildren();
  show(
    'Signed out',
    heading('Your session has ended'),
    paragraph('Sign in again to go on.', 'lead'),
    element('p', {}, link('Sign in with GitHub', signInAddress('/'), 'button')),
  );
}

function showTrouble(error: string): void {
  show('Not available', heading('This did not work'), failure(error), button('Try again', 'secondary', open));
}

/** Checks the session, which all tabs share: another tab may have selected another workspace or signed out. */
async function refreshSession(): Promise<void> {
  if (browser.document.visibilityState !== 'visible') return;
  const me = await request<Me>('/api/auth/me');
  if (me.ok ? signInState(me.body) !== current : me.status === 401 && current !== null) await open();
}

await open();
// Added after the first view, which would otherwise be displayed twice.
browser.document.addEventListener('visibilitychange', () => void refreshSession());
