import { expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import type { DashboardUnderTest } from './dashboard-under-test.js';
import type { Guest } from '../guest.js';
import { createHotfix, untilLoaded, waitForNotice } from './own-release.js';

/** More stops than any screen has. */
const STOPS = 150;

/** Whether the focused element, or a parent that shows the focus in its place, has an outline or a shadow. */
const IS_FOCUS_VISIBLE = `(() => {
  const focused = document.activeElement;
  if (focused === null || focused === document.body) return true;
  const { width, height } = focused.getBoundingClientRect();
  const marks = [focused, focused.parentElement, focused.parentElement?.parentElement].some((element) => {
    if (!element) return false;
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
    return (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none';
  });
  return focused.matches(':focus-visible') && width > 0 && height > 0 && marks;
})()`;

/** The dashboard without a pointer. */
export function testKeyboard(dashboard: DashboardUnderTest): void {
  const isFocused = (target: Locator): Promise<boolean> => target.evaluate((element) => element.matches(':focus'));

  /** Presses Tab until the element has the focus. The focus must be visible at each stop. */
  async function tabTo(page: Page, target: Locator): Promise<void> {
    await target.waitFor();
    for (let stop = 0; stop < STOPS; stop += 1) {
      if (await isFocused(target)) return;
      await page.keyboard.press('Tab');
      const focused = await page.evaluate<string>('document.activeElement.outerHTML.slice(0, 200)');
      expect([focused, await page.evaluate<boolean>(IS_FOCUS_VISIBLE)]).toEqual([focused, true]);
    }
    throw new Error(`Tab does not reach ${String(target)}.`);
  }

  const press = async (page: Page, target: Locator): Promise<void> => {
    await tabTo(page, target);
    await page.keyboard.press('Enter');
  };

  async function signInByKeyboard(login: string): Promise<Guest> {
    const guest = await dashboard.open('/', { width: 1280 });
    const { page } = guest;
    await guest.reads('Sign in');
    await press(page, page.getByRole('link', { name: 'Sign in with GitHub' }));
    // This page is GitHub's.
    await page.locator(`button[value="${login}"]`).press('Enter');
    await guest.reads('Releases');
    return guest;
  }

  it('lets two admins find a release, waive a condition and download the audit pack', async () => {
    const version = 'v2.0.9';
    await createHotfix(dashboard, version, ['junit-red.xml']);
    const { page } = await signInByKeyboard(dashboard.environment.accounts.owner.login);
    await page.getByRole('table').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(version);
    await page.waitForURL(/q=v2\.0\.9/);
    const blocked = page.waitForResponse(/\/api\/dashboard\?.*outcome=blocked/);
    await press(page, page.getByRole('link', { name: /^Blocked/ }));
    await blocked;
    // Until the rows are replaced, the former ones are inert.
    await untilLoaded(page);
    await page.keyboard.press('j');
    expect(await isFocused(page.getByRole('link', { name: `checkout ${version}` }))).toBe(true);
    await page.keyboard.press('Enter');
    const heading = page.getByRole('heading', { level: 1, name: `checkout ${version}` });
    await heading.waitFor();
    expect(await isFocused(heading)).toBe(true);

    await press(
      page,
      page.getByRole('navigation', { name: 'Parts of the release' }).getByRole('link', { name: 'Overrides' }),
    );
    const opener = page.getByRole('button', { name: 'Request a waiver' });
    await press(page, opener);
    const dialog = page.getByRole('dialog');
    await tabTo(page, dialog.getByLabel('Reason'));
    await page.keyboard.type('Verified by hand');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await isFocused(opener)).toBe(true);
    await page.keyboard.press('Enter');
    await tabTo(page, dialog.getByLabel('Reason'));
    await page.keyboard.type('Verified by hand');
    await press(page, dialog.getByRole('button', { name: 'Request the waiver' }));
    await waitForNotice(page, 'The waiver is requested.');
    await dialog.waitFor({ state: 'detached' });
    expect(await isFocused(opener)).toBe(true);

    const { page: second } = await signInByKeyboard(dashboard.environment.accounts.releaseManager.login);
    await press(second, second.getByRole('link', { name: `Waiver for checkout ${version}` }));
    await press(second, second.getByRole('button', { name: 'Confirm…' }));
    await press(second, second.getByRole('dialog').getByRole('button', { name: 'Confirm the waiver' }));
    await waitForNotice(second, 'The waiver is in force.');
    await second.getByRole('dialog').waitFor({ state: 'detached' });
    await second.locator('h2:focus', { hasText: 'Waivers' }).waitFor();

    const download = second.waitForEvent('download');
    await second.keyboard.press('Home');
    await press(second, second.getByRole('link', { name: 'Audit pack' }));
    expect((await download).suggestedFilename()).toMatch(/\.zip$/);
    expect(dashboard.complaints).toEqual([]);
  });
}
