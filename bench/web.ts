/**
 * Measures the dashboard: the size of its screens; the time until the list of releases is visible in Chromium, beside a bare page with the
 * same rows; its memory over the events of an hour; and the cost of open dashboards for the service. `--quick` runs a shorter measurement.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { CHROMIUM, launchChromium } from '../test/browser/chromium.js';
import { confirmMembers, OWN_WORKSPACE, populateLists } from './lists/list-population.js';
import { BenchServer } from './measuring/bench-server.js';
import { Child } from './measuring/child.js';
import { median } from './measuring/median.js';
import { formatResult, HEADING, line, ratio } from './measuring/report.js';
import type { Listening } from './measuring/served.js';
import { measureEventHour } from './web/event-hour.js';
import { compareAudiences } from './web/open-dashboards.js';
import { LOAD_HEADING, loadLine, loadTwice, type MeasuredPage, type PageLoad } from './web/page-loads.js';

const QUICK = process.argv.includes('--quick');
const ROUNDS = QUICK ? 3 : 7;
const SLOW_ROUNDS = QUICK ? 1 : 5;
const POPULATION = QUICK ? { releases: 1_000, own: 1_000 } : { releases: 100_000, own: 40_000 };
const AUDIENCE = QUICK
  ? { streams: 200, rounds: 3, durationMs: 1_000, idleMs: 5_000 }
  : { streams: 1_000, rounds: 9, durationMs: 3_000, idleMs: 30_000 };
const MEGABYTE = 1_000_000;
const PATIENCE_MS = 60_000;

function printSizes(): void {
  const script = fileURLToPath(new URL('../../scripts/web-sizes.mjs', import.meta.url));
  const { status } = spawnSync(process.execPath, [script, '--report'], { stdio: 'inherit' });
  if (status !== 0) throw new Error('The dashboard is above its budget.');
}

/** Loads both pages in turns, so that other work of the machine affects both. */
async function compareLoads(
  browser: Browser,
  pages: readonly [MeasuredPage, MeasuredPage],
  rounds: number,
  isSlow: boolean,
): Promise<void> {
  const loads = pages.map(() => ({ cold: [] as PageLoad[], warm: [] as PageLoad[] }));
  // The first round fills the caches of the system and of the service.
  if (!isSlow) for (const page of pages) await loadTwice(browser, page, isSlow);
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, page] of pages.entries()) {
      const { cold, warm } = await loadTwice(browser, page, isSlow);
      loads[at]?.cold.push(cold);
      loads[at]?.warm.push(warm);
    }
  }
  for (const cache of ['cold', 'warm'] as const) {
    const [own, bare] = loads.map((one) => one[cache]);
    for (const [at, page] of pages.entries()) console.log(loadLine(`${page.name}, ${cache}`, loads[at]?.[cache] ?? []));
    const ratios = (own ?? []).map(({ rowsMs }, round) => rowsMs / (bare?.[round]?.rowsMs ?? Number.NaN));
    console.log(formatResult(`time to rows, ${cache}, compared with the bare page`, median(ratios), 'for comparison'));
  }
}

async function measurePages(server: BenchServer, browser: Browser): Promise<void> {
  let cookie = '';
  const { runtimeUrl, superuserUrl } = await server.createDatabase('pages', async (url) => {
    cookie = await populateLists(url, POPULATION);
  });
  await confirmMembers(superuserUrl);
  // A membership counts for minutes, and the measurement takes longer.
  const confirming = setInterval(() => void confirmMembers(superuserUrl), PATIENCE_MS);
  const children: Child[] = [];
  const start = async (module: string, ...args: readonly string[]): Promise<string> => {
    const child = new Child(new URL(module, import.meta.url), args);
    children.push(child);
    return `http://127.0.0.1:${(await child.next<Listening>()).port}`;
  };
  try {
    const service = await start('web/servers/shipgate.js', runtimeUrl, '8');
    const dashboard = { name: 'dashboard', url: `${service}/w/${OWN_WORKSPACE.login}/releases`, cookie };
    const bare = { name: 'bare page', url: await start('web/servers/page.js', service, cookie), cookie: null };
    console.log(`\n${ROUNDS} loads each, of ${POPULATION.own.toLocaleString('en')} releases of the workspace …`);
    console.log(LOAD_HEADING);
    await compareLoads(browser, [dashboard, bare], ROUNDS, false);
    console.log(`\nthe same with a quarter of the processor, 1.6 Mbit/s and 150 ms, ${SLOW_ROUNDS} loads each …`);
    await compareLoads(browser, [dashboard, bare], SLOW_ROUNDS, true);
    console.log('\nthe events of an hour …');
    for (const [at, { heapBytes, nodes, listeners }] of (
      await measureEventHour(browser, dashboard, superuserUrl)
    ).entries()) {
      const when = ['after a tenth', 'after half', 'after all'][at] ?? '';
      console.log(
        `${when.padEnd(16)} heap ${(heapBytes / MEGABYTE).toFixed(1)} MB, ${nodes} nodes, ${listeners} listeners`,
      );
    }
  } finally {
    clearInterval(confirming);
    await Promise.all(children.map((child) => child.stop()));
  }
}

async function measureAudiences(server: BenchServer): Promise<void> {
  console.log(`\n${AUDIENCE.streams} open dashboards, an event per second, ${AUDIENCE.rounds} rounds …`);
  const [open, none] = await compareAudiences(server, AUDIENCE);
  if (!open || !none) throw new Error('A process was not measured.');
  for (const { name, idleMs, residentBytes } of [open, none]) {
    const memory = (residentBytes / MEGABYTE).toFixed(0);
    console.log(`${name.padEnd(24)} ${idleMs.toFixed(1)} ms of processor time per second, ${memory} MB`);
  }
  const bytes = (open.residentBytes - none.residentBytes) / open.streams;
  console.log(formatResult('kB of memory for each open dashboard', bytes / 1_024, 'for comparison'));
  console.log(`\n${HEADING}\n${[open, none].map(line).join('\n')}`);
  for (const of of ['requestsPerSecond', 'p50', 'p99'] as const) {
    console.log(formatResult(`gate with dashboards, to without: ${of}`, ratio(open, none, of), 'for comparison'));
  }
}

if (CHROMIUM === null) throw new Error('No Chromium is installed; name one in CHROMIUM.');
printSizes();
const server = await BenchServer.start(true);
const browser = await launchChromium();
try {
  await measurePages(server, browser);
  await measureAudiences(server);
} finally {
  await browser.close();
  await server.stop();
}
