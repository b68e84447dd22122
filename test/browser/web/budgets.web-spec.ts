import { expect, it } from '@jest/globals';
import { loadScreen, MAX_SHIFT, SCREENS, WATCH_SHIFTS } from './all-screens.js';
import type { DashboardUnderTest } from './dashboard-under-test.js';

const REQUESTS = 8;
const ROWS = 200;

/** The budgets of each screen that only a browser can measure. */
export function testBudgets(dashboard: DashboardUnderTest): void {
  it.each(Object.entries(SCREENS))('needs few requests, moves nothing and shows few rows: %s', async (_, addressOf) => {
    const address = await addressOf(dashboard);
    const page = await dashboard.openSignedIn('/w/acme/releases', { width: 1280 });
    await page.addInitScript(WATCH_SHIFTS);
    const requests = await loadScreen(page, dashboard.url + address);
    expect(requests.length).toBeGreaterThan(0);
    // A repeated request follows an event, because the demo changes meanwhile.
    expect([...new Set(requests)].slice(REQUESTS)).toEqual([]);
    expect(await page.evaluate<number>('window.layoutShift')).toBeLessThanOrEqual(MAX_SHIFT);
    expect(await page.getByRole('row').count()).toBeLessThanOrEqual(ROWS);
    expect(dashboard.complaints).toEqual([]);
  });
}
