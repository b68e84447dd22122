import type { Browser, CDPSession } from 'playwright-core';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { OWN_WORKSPACE } from '../lists/list-population.js';
import { type MeasuredPage, openContext } from './page-loads.js';

/** The memory use of a page after a garbage collection. */
export interface PageMemory {
  readonly heapBytes: number;
  readonly nodes: number;
  readonly listeners: number;
}

/** The events of an hour with one event per second. */
const EVENTS = 3_600;
const BATCH = 30;
const PAUSE_MS = 500;
const ROW_PATIENCE_MS = 60_000;

/** Updates of a release of the measured workspace, in the form in which the service saves them. */
const INSERT_UPDATES = `
  begin;
  select set_config('app.org_id', (${OWN_WORKSPACE.orgId})::text, true);
  insert into event (org_id, type, repository_id, release_id, at)
  select ${OWN_WORKSPACE.orgId}, 'release.updated', md5('repository 0/1')::uuid, md5('release 0/1/1')::uuid, now()
  from generate_series(1, ${BATCH});
  commit`;

/**
 * Opens the list of releases, inserts the events of an hour, and lets the page read the list again after each batch of them. Returns its
 * memory after a tenth, half and all of the events.
 */
export async function measureEventHour(
  browser: Browser,
  measured: MeasuredPage,
  databaseUrl: string,
): Promise<readonly PageMemory[]> {
  const context = await openContext(browser, measured);
  const page = await context.newPage();
  const reads: string[] = [];
  page.on('request', (request) => reads.push(...(request.url().includes('/api/dashboard?') ? [request.url()] : [])));
  await page.goto(measured.url);
  await page.locator('tbody th').first().waitFor({ timeout: ROW_PATIENCE_MS });
  await page.getByText('Live', { exact: true }).waitFor();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Performance.enable');
  const memory: PageMemory[] = [];
  const batches = EVENTS / BATCH;
  const stops = new Set([batches / 10, batches / 2, batches]);
  await withDedicatedClient(databaseUrl, async (client) => {
    for (let batch = 1; batch <= batches; batch += 1) {
      await client.query(INSERT_UPDATES);
      await page.keyboard.press('r');
      await page.waitForTimeout(PAUSE_MS);
      if (stops.has(batch)) memory.push(await readMemory(devtools));
    }
  });
  if (reads.length < batches) throw new Error(`The page read the list only ${reads.length} times.`);
  await context.close();
  return memory;
}

async function readMemory(devtools: CDPSession): Promise<PageMemory> {
  await devtools.send('HeapProfiler.collectGarbage');
  const { metrics } = await devtools.send('Performance.getMetrics');
  const of = (name: string): number => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
  return { heapBytes: of('JSHeapUsedSize'), nodes: of('Nodes'), listeners: of('JSEventListeners') };
}
