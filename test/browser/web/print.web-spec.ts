import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { loadScreen, SCREENS } from './all-screens.js';
import type { DashboardUnderTest } from './dashboard-under-test.js';

/** The width of a sheet of A4 between the margins of the dashboard, in pixels, upright and lying. */
const SHEETS = [703, 1032] as const;
/** More rows than some sheets have. */
const MANY = 300;

/** Returns the width of the content, the colors, and every element that the sheet would cut. */
const MEASURE = `(() => {
  const width = document.documentElement.clientWidth;
  const isCut = (element) => {
    const box = element.getBoundingClientRect();
    if (box.width <= 2 || box.height <= 2) return false;
    const { overflowX, overflowY } = getComputedStyle(element);
    const isWide = overflowX !== 'visible' && element.scrollWidth > element.clientWidth + 1;
    const isHigh = overflowY !== 'visible' && element.scrollHeight > element.clientHeight + 1;
    return box.right > width + 1 || isWide || isHigh;
  };
  return {
    width: document.querySelector('main').getBoundingClientRect().width,
    background: getComputedStyle(document.body).backgroundColor,
    isDark: getComputedStyle(document.body).color.match(/\\d+/g).every((part) => Number(part) < 80),
    cut: [...document.querySelectorAll('body *')].filter(isCut).map((element) => element.outerHTML.slice(0, 100)),
  };
})()`;

/** Every screen on paper. */
export function testPrint(dashboard: DashboardUnderTest): void {
  it('prints each screen light, over the whole width and without a cut, also for a user of the dark mode', async () => {
    const page = await dashboard.openSignedIn('/w/acme/releases', { colorScheme: 'dark' });
    await page.evaluate(`localStorage.setItem('shipgate-color-mode', 'dark')`);
    for (const [name, address] of Object.entries(SCREENS)) {
      await page.emulateMedia({ media: 'screen' });
      await page.setViewportSize({ width: 1440, height: 900 });
      await loadScreen(page, new URL(await address(dashboard), dashboard.url).href);
      await page.emulateMedia({ media: 'print' });
      // A print announces itself before. This medium is announced a moment later.
      await page.locator('html[data-color-mode=light]').waitFor({ state: 'attached' });
      for (const width of SHEETS) {
        await page.setViewportSize({ width, height: 900 });
        const measured = [name, await page.evaluate(MEASURE)];
        expect(measured).toEqual([name, { width, background: 'rgb(255, 255, 255)', isDark: true, cut: [] }]);
      }
    }
    expect(dashboard.complaints).toEqual([]);
  }, 300_000);

  it('prints the whole JSON of a decision that is unfolded', async () => {
    const page = await dashboard.openSignedIn('/w/acme/releases');
    await page.goto(new URL(await SCREENS['a decision']!(dashboard), dashboard.url).href);
    await page.locator('summary').last().click();
    const json = page.locator('details pre');
    const measure = (): Promise<readonly [number, number]> =>
      json.evaluate(({ scrollHeight, clientHeight }) => [scrollHeight, clientHeight] as const);
    const [content, visible] = await measure();
    expect(content).toBeGreaterThan(visible);
    await page.emulateMedia({ media: 'print' });
    const [printed, room] = await measure();
    expect(printed).toBe(room);
  });

  it('repeats the head of a long table on each sheet', async () => {
    const page = await dashboard.openSignedIn('/w/acme/settings/audit');
    await page.getByRole('table').waitFor();
    const countSheets = async (): Promise<number> =>
      (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type \/Page\b/g)?.length ?? 0;
    await page.evaluate(
      `(() => {
        const body = document.querySelector('tbody');
        for (const details of body.querySelectorAll('details')) details.remove();
        for (let n = 0; n < ${MANY}; n += 1) body.append(body.rows[0].cloneNode(true));
      })()`,
    );
    const before = await countSheets();
    expect(before).toBeGreaterThan(2);
    // A head that needs a fifth of a sheet is on each of them, so the table needs more. Chromium repeats no head above a quarter.
    await page.evaluate(`document.querySelector('thead th').style.setProperty('height', '55mm')`);
    expect(await countSheets()).toBeGreaterThanOrEqual(before * 1.15);
  });

  it('shows the screen in the mode of the user again after a print', async () => {
    const page: Page = await dashboard.openSignedIn('/w/acme/releases');
    await page.evaluate(`localStorage.setItem('shipgate-color-mode', 'dark')`);
    await page.reload();
    const isDark = async (): Promise<boolean> =>
      (await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')) !== 'rgb(255, 255, 255)';
    await page.getByRole('table').waitFor();
    expect(await isDark()).toBe(true);
    await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
    expect(await isDark()).toBe(false);
    await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
    expect(await isDark()).toBe(true);
  });
}
