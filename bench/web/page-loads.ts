import type { Browser, BrowserContext, Page } from 'playwright-core';
import { median } from '../measuring/median.js';

/** A page of the comparison. */
export interface MeasuredPage {
  readonly name: string;
  readonly url: string;
  /** The `Cookie` header. Null if the page needs none. */
  readonly cookie: string | null;
}

/** One load of a page. */
export interface PageLoad {
  /** Milliseconds from the navigation until the first row of the table was painted. */
  readonly rowsMs: number;
  /** The parts of tasks beyond 50 ms, in milliseconds. */
  readonly blockedMs: number;
  readonly layoutShift: number;
}

const PATIENCE_MS = 120_000;
/** The wait after a load, so that late shifts and tasks are also counted. */
const IDLE_MS = 1_000;

/** Records the first painted row, the long tasks and the layout shifts of a page. */
const RECORD = `
  window.recorded = { rowsMs: null, blockedMs: 0, layoutShift: 0 };
  const observe = (type, onEntry) =>
    new PerformanceObserver((list) => list.getEntries().forEach(onEntry)).observe({ type, buffered: true });
  observe('longtask', ({ duration }) => (window.recorded.blockedMs += duration - 50));
  observe('layout-shift', ({ value, hadRecentInput }) => (window.recorded.layoutShift += hadRecentInput ? 0 : value));
  const look = () => {
    if (!document.querySelector('tbody th')) return requestAnimationFrame(look);
    requestAnimationFrame(() => (window.recorded.rowsMs = performance.now()));
  };
  requestAnimationFrame(look);`;

/** Opens a browser without a cache, with the session of the page. */
export async function openContext(browser: Browser, { url, cookie }: MeasuredPage): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 } });
  context.setDefaultTimeout(PATIENCE_MS);
  if (cookie !== null) {
    const [name = '', value = ''] = cookie.split(/=(.*)/, 2);
    await context.addCookies([{ name, value, url: new URL(url).origin }]);
  }
  return context;
}

/** Loads the page with an empty cache, then with a full one. `isSlow` simulates a phone: a quarter of the processor, 1.6 Mbit/s, 150 ms. */
export async function loadTwice(
  browser: Browser,
  measured: MeasuredPage,
  isSlow: boolean,
): Promise<{ readonly cold: PageLoad; readonly warm: PageLoad }> {
  const context = await openContext(browser, measured);
  try {
    return { cold: await load(context, measured, isSlow), warm: await load(context, measured, isSlow) };
  } finally {
    await context.close();
  }
}

async function load(context: BrowserContext, { url }: MeasuredPage, isSlow: boolean): Promise<PageLoad> {
  const page = await context.newPage();
  await page.addInitScript(RECORD);
  if (isSlow) await slowDown(page);
  await page.goto(url, { waitUntil: 'commit' });
  // The security policy of the page does not allow waiting for an expression.
  await page.locator('tbody th').first().waitFor();
  await page.waitForTimeout(IDLE_MS);
  const recorded = await page.evaluate<PageLoad>('window.recorded');
  await page.close();
  return recorded;
}

async function slowDown(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150,
    downloadThroughput: 200_000,
    uploadThroughput: 93_750,
  });
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 });
}

/** Formats a table row: medians over the loads. */
export function loadLine(name: string, loads: readonly PageLoad[]): string {
  const of = (value: keyof PageLoad): number => median(loads.map((one) => one[value]));
  return [
    name.padEnd(44),
    of('rowsMs').toFixed(0).padStart(8),
    of('blockedMs').toFixed(0).padStart(11),
    of('layoutShift').toFixed(4).padStart(8),
  ].join(' ');
}

export const LOAD_HEADING = ['', 'rows ms', 'blocked ms', 'shift']
  .map((title, at) => [title.padEnd(44), title.padStart(8), title.padStart(11), title.padStart(8)][at])
  .join(' ');
