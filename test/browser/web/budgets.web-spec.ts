import { expect, it } from '@jest/globals';
import { loadScreen, SCREENS } from './all-screens.js';
import type { DashboardUnderTest } from './dashboard-under-test.js';

const REQUESTS = 8;
const LAYOUT_SHIFT = 0.02;
const ROWS = 200;

/** Adds up the layout shifts of the page that the user did not cause. */
const WATCH_SHIFTS = `
  window.layoutShift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.layoutShift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });`;

/** The budgets of each screen that only a browser can measure. */
export function testBudgets(dashboard: DashboardUnderTest): void {
  it.each(Object.entries(SCREENS))('needs few requests, moves nothing and shows few rows: %s', async (_, addressOf) => {
    const address = await addressOf(dashboard);
    const page = await dashboard.openSignedIn('/w/acme/releases', { width: 1280 });
    await page.addInitScript(WATCH_SHIFTS);
    const requests = await loadScreen(page, dashboard.url + address);
    expect(requests.length).toBeGreaterThan(0);
    expect(requests.slice(REQUESTS)).toEqual([]);
    expect(await page.evaluate<number>('window.layoutShift')).toBeLessThanOrEqual(LAYOUT_SHIFT);
    expect(await page.getByRole('row').count()).toBeLessThanOrEqual(ROWS);
    expect(dashboard.complaints).toEqual([]);
  });
}
