import { expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import type { DashboardUnderTest } from './dashboard-under-test.js';
import { findRelease } from './own-release.js';

/** The search over the whole workspace. */
export function testPalette(dashboard: DashboardUnderTest): void {
  const isFocused = (target: Locator): Promise<boolean> => target.evaluate((element) => element.matches(':focus'));

  async function find(page: Page, term: string): Promise<Locator> {
    const dialog = page.getByRole('dialog', { name: 'Find' });
    await dialog.waitFor();
    const field = dialog.getByRole('searchbox');
    expect(await isFocused(field)).toBe(true);
    const answer = page.waitForResponse((response) => response.url().endsWith(`/api/search?q=${term}`));
    await page.keyboard.type(term);
    await answer;
    await dialog.locator('div[aria-busy=false]').waitFor();
    return dialog;
  }

  it('finds releases, repositories, members and screens by the keyboard, and opens what the focus is on', async () => {
    const page = await dashboard.openSignedIn('/w/acme/freezes', { width: 1280 });
    await page.getByRole('heading', { level: 1 }).waitFor();
    // A screen without a search of its own.
    await page.keyboard.press('/');
    const dialog = await find(page, 'payments');
    await dashboard.expectSound(page);
    const shipped = dialog.getByRole('region', { name: 'Releases' }).getByRole('link', { name: 'payments v1.4.0' });
    expect(await shipped.innerText()).toContain('Shipped');
    const repository = dialog.getByRole('region', { name: 'Repositories' }).getByRole('link');
    expect(await repository.innerText()).toBe('acme/payments');
    for (let step = 0; step < 10 && !(await isFocused(repository)); step += 1) await page.keyboard.press('ArrowDown');
    // A letter goes on with the search.
    await page.keyboard.press('Shift');
    expect(await isFocused(repository)).toBe(true);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/repositories\/[\w-]+$/);
    await dialog.waitFor({ state: 'detached' });

    await page.keyboard.press('Control+k');
    await find(page, 'developer');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/settings\/team#member-\d+$/);
    await dashboard.expectLanded(page, page.getByRole('rowheader', { name: /^developer/ }));
    expect(dashboard.complaints).toEqual([]);
  });

  it('finds a commit by its first digits, and says so if nothing matches', async () => {
    const id = await findRelease(dashboard, 'payments', 'v1.4.0');
    const user = await dashboard.signIn();
    const { release } = await user.get<{ readonly release: { readonly candidateSha: string } }>(
      `/api/milestones/${id}?look=stored`,
    );
    const page = await dashboard.openSignedIn('/w/acme/releases', { width: 360, colorScheme: 'dark' });
    await page.getByRole('button', { name: 'Find everything' }).click();
    const dialog = await find(page, release.candidateSha.slice(0, 9));
    await dashboard.expectSound(page);
    await dialog
      .getByRole('region', { name: 'Commits' })
      .getByRole('link', { name: 'payments v1.4.0' })
      .first()
      .click();
    await page.waitForURL(`**/releases/${id}`);

    await page.getByRole('button', { name: 'Find everything' }).click();
    await find(page, 'zzzz');
    await dialog.getByText('Nothing that you can read matches “zzzz”.').waitFor();
    expect(dashboard.complaints).toEqual([]);
  });

  it('starts an action, and shows that the search failed', async () => {
    dashboard.expectRejections(500);
    const page = await dashboard.openSignedIn('/w/acme/releases', { login: 'developer', width: 1280 });
    await page.route('**/api/search?*', (route) => route.fulfill({ status: 500, json: { error: 'No.' } }));
    await page.keyboard.press('Control+k');
    const dialog = page.getByRole('dialog', { name: 'Find' });
    await dialog.waitFor();
    await page.keyboard.type('new');
    await dialog.getByText('The search failed.').waitFor({ timeout: 30_000 });
    // A freeze is for admins.
    expect(await dialog.getByRole('region', { name: 'Actions' }).getByRole('button').allInnerTexts()).toEqual([
      'New release',
    ]);
    await dialog.getByRole('button', { name: 'New release' }).click();
    await page.getByRole('dialog', { name: 'New release' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1, name: 'Releases' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('f');
    await page.waitForURL('**/freezes');
  });
}
