import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { Guest } from '../guest.js';
import type { DashboardUnderTest } from './dashboard-under-test.js';
import { waitForNotice } from './own-release.js';

/** Longer than the time after which the browser opens a lost stream again. */
const QUIET_MS = 6_000;

/** Sign-in, the end of a session, and the selected workspace. */
export function testSession(dashboard: DashboardUnderTest): void {
  /** Ends the session on the server without the knowledge of the browser. */
  const endSession = async (page: Page): Promise<void> => {
    const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
    const headers = { cookie, origin: dashboard.url };
    const { status } = await fetch(`${dashboard.url}/api/auth/logout`, { method: 'POST', headers });
    expect(status).toBe(204);
  };

  /** Follows the link to the sign-in, which opens another tab. */
  const openSignIn = async (page: Page): Promise<Guest> => {
    const tab = page.context().waitForEvent('page');
    await page.getByRole('link', { name: 'Sign in again' }).click();
    const guest = Guest.of(page.context(), await tab);
    await guest.reads('Sign in');
    return guest;
  };

  it('returns after the sign-in to the URL with its filters', async () => {
    const page = await dashboard.openSignedIn('/w/acme/releases?q=2.3&outcome=in_progress');
    await page.getByRole('rowheader', { name: 'checkout v2.3.0' }).waitFor();
    expect(page.url()).toBe(`${dashboard.url}/w/acme/releases?q=2.3&outcome=in_progress`);
    expect(dashboard.complaints).toEqual([]);
  });

  it('shows the notice of a failed sign-in, and no text of the URL', async () => {
    const { page } = await dashboard.open('/sign-in?notice=denied');
    const alert = page.getByRole('alert');
    expect(await alert.innerText()).toBe('You did not authorize the app. To try again, sign in.');
    for (const [notice, sentence] of [
      ['github_rejected', 'GitHub rejected the sign-in.'],
      ['code_rejected', 'GitHub rejected the code'],
      ['expired', 'longer than 10 minutes'],
    ] as const) {
      await page.goto(`${dashboard.url}/sign-in?notice=${notice}`);
      await alert.getByText(sentence).waitFor();
    }
    await page.goto(`${dashboard.url}/sign-in?notice=constructor`);
    await page.getByRole('link', { name: 'Sign in with GitHub' }).waitFor();
    expect(await alert.count()).toBe(0);
    await dashboard.expectSound(page);
  });

  it('says that the session has ended, and makes the screen inert', async () => {
    const page = await dashboard.openSignedIn('/w/acme/releases');
    await page.getByRole('table').waitFor();
    await page.context().clearCookies();
    await page.getByRole('searchbox').fill('catalog');
    await page.getByText('Your session has ended.').waitFor();
    expect(await page.locator('main').evaluate((main) => main.closest('[inert]') !== null)).toBe(true);
    const { page: signIn } = await openSignIn(page);
    expect(signIn.url()).toBe(`${dashboard.url}/sign-in?returnTo=%2Fw%2Facme%2Freleases%3Fq%3Dcatalog`);
  });

  it('keeps what the user types in a form when the session ends, and sends it after the sign-in in another tab', async () => {
    const { owner } = dashboard.environment.accounts;
    const page = await dashboard.openSignedIn('/w/acme/freezes', { width: 1280 });
    await page.getByRole('button', { name: 'New freeze' }).click();
    await page.getByLabel('First day').fill('2099-12-24');
    await page.getByLabel('Last day').fill('2099-12-26');
    await page.getByLabel('Reason').fill('Holidays');
    await endSession(page);
    await page.getByRole('button', { name: 'Create the freeze' }).click();
    await page.getByText('Your session has ended.').waitFor();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor({ state: 'hidden' });
    await page.keyboard.press('Escape');

    const signIn = await openSignIn(page);
    await signIn.signInAs(owner.login);
    await signIn.page.waitForURL('**/w/acme/freezes');
    await page.getByText('Your session has ended.').waitFor({ state: 'detached' });
    await dialog.getByText('Your session had ended').waitFor();
    await waitForNotice(page, 'You are signed in again.');
    await dashboard.expectSound(page);
    expect(await page.evaluate('JSON.stringify([sessionStorage, localStorage])')).not.toContain('Holidays');
    await dialog.getByRole('button', { name: 'Create the freeze' }).click();
    await waitForNotice(page, 'The freeze is created.');
    // The tab of the sign-in is signed in too.
    await signIn.page.getByRole('row').filter({ hasText: 'Holidays' }).waitFor();
    const user = await dashboard.signIn();
    const { freezes } = await user.get<{ freezes: readonly unknown[] }>('/api/freezes');
    expect(freezes).toEqual([expect.objectContaining({ from: '2099-12-24', to: '2099-12-26', reason: 'Holidays' })]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await signIn.page.getByRole('row').filter({ hasText: 'Holidays' }).waitFor({ state: 'detached' });
    expect(dashboard.complaints).toEqual([]);
  });

  it('shows nothing of a user to another one who signs in after the end of the session', async () => {
    const page = await dashboard.openSignedIn('/w/acme/freezes');
    await page.getByRole('button', { name: 'New freeze' }).click();
    await page.getByLabel('Reason').fill('Holidays');
    await endSession(page);
    await page.getByText('Your session has ended.').waitFor();
    const signIn = await openSignIn(page);
    await signIn.signInAs(dashboard.environment.accounts.developer.login);
    await page.getByText('Another user is signed in now.').waitFor();
    expect(await page.locator('main').innerText()).toBe('');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('link', { name: 'Load this page again' }).click();
    await page.getByText('Only an admin of the workspace can do this.').waitFor();
  });

  it('notices by itself that the session has ended on the server, and then sends no more requests', async () => {
    const page = await dashboard.openSignedIn('/w/acme/releases');
    await page.getByText('Live', { exact: true }).waitFor();
    await endSession(page);
    await page.getByText('Your session has ended.').waitFor();
    expect(await page.locator('main').evaluate((main) => main.closest('[inert]') !== null)).toBe(true);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.getByRole('link', { name: 'Sign in again' }).focus();
    await page.waitForTimeout(QUIET_MS);
    expect(requests).toEqual([]);
  });

  it('opens no workspace whose name is not that of the session', async () => {
    const page = await dashboard.openSignedIn('/w/acme/releases');
    await page.getByRole('table').waitFor();
    const reads: string[] = [];
    page.on('request', (request) => reads.push(...(request.url().includes('/api/dashboard') ? [page.url()] : [])));
    await page.goto(`${dashboard.url}/w/globex/releases`);
    await page.getByText('The workspace globex of this link does not exist, or you cannot see it.').waitFor();
    const otherUser = page.getByRole('link', { name: 'Sign in as another user' });
    expect(await otherUser.getAttribute('href')).toBe('/api/auth/login?returnTo=%2Fw%2Fglobex%2Freleases');
    await dashboard.expectSound(page);
    await page.getByRole('button', { name: /^acme/ }).click();
    await page.waitForURL('**/w/acme/releases');
    await page.getByRole('table').waitFor();
    expect(new Set(reads)).toEqual(new Set([`${dashboard.url}/w/acme/releases`]));
  });

  it('keeps the navigation on an address that does not exist', async () => {
    const page = await dashboard.openSignedIn('/w/acme/nothing/here', { width: 1280 });
    await page.getByRole('heading', { level: 1, name: 'This page does not exist.' }).waitFor();
    await dashboard.expectSound(page);
    await page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: 'Reviews' }).click();
    await page.getByRole('heading', { level: 1, name: 'Reviews' }).waitFor();
  });

  it('shows that it needs scripts if they are disabled', async () => {
    const guest = await dashboard.open('/w/acme/releases', { scripts: false });
    expect(await guest.page.innerText('body')).toContain('The dashboard needs JavaScript.');
  });
}
