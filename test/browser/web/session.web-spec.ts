import { expect, it } from '@jest/globals';
import type { DashboardUnderTest } from './dashboard-under-test.js';

const ENDED_MS = 35_000;
/** Longer than the time after which the browser opens a lost stream again. */
const QUIET_MS = 6_000;

/** Sign-in, the end of a session, and the selected workspace. */
export function testSession(dashboard: DashboardUnderTest): void {
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
    await page.getByRole('link', { name: 'Sign in again' }).click();
    await page.waitForURL('**/sign-in?returnTo=**');
  });

  it('notices by itself that the session has ended on the server, and then asks no more', async () => {
    const page = await dashboard.openSignedIn('/w/acme/releases');
    await page.getByText('Live', { exact: true }).waitFor();
    const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
    const headers = { cookie, origin: dashboard.url };
    const { status } = await fetch(`${dashboard.url}/api/auth/logout`, { method: 'POST', headers });
    expect(status).toBe(204);
    await page.getByText('Your session has ended.').waitFor({ timeout: ENDED_MS });
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
    // The only workspace of the user is selected instead.
    await page.waitForURL('**/w/acme/releases');
    await page.getByRole('table').waitFor();
    expect(new Set(reads)).toEqual(new Set([`${dashboard.url}/w/acme/releases`]));
  });

  it('says without scripts that it needs them', async () => {
    const guest = await dashboard.open('/w/acme/releases', { scripts: false });
    expect(await guest.page.innerText('body')).toContain('The dashboard needs JavaScript.');
  });
}
