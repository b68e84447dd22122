import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { DashboardUnderTest } from './dashboard-under-test.js';
import { createHotfix, findRelease } from './own-release.js';

const HOSTILE = '<img src=x onerror=alert(1)>';
const HTML = `<!doctype html><script>document.title = 'stolen'; alert(1)</script>\n`;
const JUNIT = `<testsuite tests="1" failures="1"><testcase name="${HOSTILE.replace('<', '&lt;')}"><failure>no</failure></testcase></testsuite>\n`;
/** More than the dashboard shows of a report. */
const LONG_LINES = 200_000;

interface Item {
  readonly evidenceId: string;
  readonly type: string;
  readonly decides: boolean;
}

interface Upload {
  readonly reports: readonly { readonly name: string; readonly result: object | null }[];
}

/** The evidence of a release, its reports as text and their downloads. */
export function testEvidence(dashboard: DashboardUnderTest): void {
  const listItems = async (id: string): Promise<readonly Item[]> =>
    (await (await dashboard.signIn()).get<{ evidence: readonly Item[] }>(`/api/milestones/${id}/evidence`)).evidence;

  const open = async (id: string, rest = '', options = {}): Promise<Page> => {
    const page = await dashboard.openSignedIn(`/w/acme/releases/${id}/evidence${rest}`, options);
    await page.getByRole('heading', { level: 2, name: /Used by|Upload of/ }).waitFor();
    return page;
  };

  it.each([1440, 360])('leads to the failing test in three clicks, in a window of %d px', async (width) => {
    const page = await dashboard.openSignedIn('/w/acme/releases', { width });
    await page.getByRole('link', { name: 'catalog v0.9.0' }).click();
    await page.getByRole('link', { name: 'Show the evidence' }).first().click();
    await dashboard.expectLanded(page, page.locator('#parts'));
    await page
      .getByRole('rowheader', { name: /^Unit tests/ })
      .getByRole('link')
      .first()
      .click();
    await dashboard.expectLanded(page, page.getByRole('heading', { name: 'junit-red.xml' }));
    const test = page.getByRole('rowheader', { name: 'checkout rounds to whole cents' });
    expect(await test.evaluate((row) => row.getBoundingClientRect().bottom)).toBeLessThan(800);
    expect(dashboard.complaints).toEqual([]);
  });

  it('lists the evidence that the verdict uses before the rest, and keeps the filters in the URL', async () => {
    const id = await createHotfix(dashboard, 'v2.1.1', ['junit.xml', 'lcov.info', 'oxlint.sarif']);
    const used = (await listItems(id)).filter(({ decides }) => decides);
    const page = await open(id, '', { width: 1280 });
    const table = page.getByRole('table', { name: /^Evidence that the verdict uses/ });
    await table.waitFor();
    expect(await table.getByRole('rowheader').count()).toBe(used.length);
    expect(await table.getByRole('rowheader').first().innerText()).toContain('Unit tests');
    await table.getByText('125 tests: 125 passed, 0 failed, 0 skipped').waitFor();
    expect(await table.getByRole('link', { name: 'Open the run' }).first().getAttribute('href')).toContain('/runs/');
    await dashboard.expectSound(page);
    await page.getByLabel('Type').selectOption('Coverage');
    await page.waitForURL('**/evidence?type=coverage');
    await table.getByText('100 % of the lines').waitFor();
    await table.getByRole('rowheader').nth(1).waitFor({ state: 'detached' });
    await page.getByLabel('Type').selectOption('Manual check');
    await page.getByText('No evidence matches these filters.').waitFor();
    await page.goBack();
    await page.waitForURL('**/evidence?type=coverage');
    await page.getByLabel('Type').selectOption('Manual check');
    await page.getByRole('link', { name: 'Clear the filters' }).click();
    await page.waitForURL('**/evidence');
    await table.waitFor();
    expect(dashboard.complaints).toEqual([]);
  });

  it('shows the results and the text of each report of the demo, and downloads it byte by byte', async () => {
    const id = await findRelease(dashboard, 'payments', 'v1.4.0');
    const user = await dashboard.signIn();
    const page = await open(id);
    await page.getByText('This release is shipped, so its facts are frozen').waitFor();
    const seen = new Set<string>();
    for (const evidenceId of new Set((await listItems(id)).map((item) => item.evidenceId))) {
      const { reports } = await user.get<Upload>(`/api/evidence/${evidenceId}`);
      if (reports.every(({ name }) => seen.has(name))) continue;
      await page.goto(`${dashboard.url}/w/acme/releases/${id}/evidence/${evidenceId}`);
      for (const { name } of reports) {
        seen.add(name);
        const bytes = readFileSync(path.join(process.cwd(), 'test/demo/reports', name));
        const report = page.getByRole('article').filter({ has: page.getByRole('heading', { name, exact: true }) });
        await report.getByText(`${bytes.length.toLocaleString('en')} bytes`).waitFor();
        await report.getByText(/\d+ passed|% of the lines|0 critical/).waitFor();
        await report.getByRole('button', { name: `View text: ${name}` }).click();
        const text = report.getByRole('region', { name: `Text of ${name}` });
        const [line = ''] = bytes.toString().split('\n');
        await text.getByText(line, { exact: true }).first().waitFor();
        const download = page.waitForEvent('download');
        await report.getByRole('link', { name: `Download: ${name}` }).click();
        expect(readFileSync(await (await download).path()).equals(bytes)).toBe(true);
      }
    }
    expect(seen.size).toBe(6);
    expect(dashboard.complaints).toEqual([]);
  });

  it('never shows a report as a page, finds text in it, and shows the first part of a long one', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'shipgate-reports-'));
    try {
      writeFileSync(path.join(folder, `${HOSTILE}.html`), HTML);
      writeFileSync(path.join(folder, 'red.xml'), JUNIT);
      writeFileSync(path.join(folder, 'long.info'), `TN:\nSF:a.ts\n${'DA:1,1\n'.repeat(LONG_LINES)}end_of_record\n`);
      const files = [`${HOSTILE}.html`, 'red.xml', 'long.info'];
      const id = await createHotfix(dashboard, 'v2.1.2', files, folder);
      const [item] = await listItems(id);
      const page = await open(id, `/${item?.evidenceId}`, { width: 360, colorScheme: 'dark' });

      const html = page.getByRole('article').filter({ hasText: `${HOSTILE}.html` });
      await html.getByText('An HTML report can contain scripts').waitFor();
      expect(await html.getByRole('button').count()).toBe(0);
      const download = page.waitForEvent('download');
      await html.getByRole('link', { name: /^Download/ }).click();
      expect(readFileSync(await (await download).path(), 'utf8')).toBe(HTML);

      const red = page.getByRole('article').filter({ has: page.getByRole('heading', { name: 'red.xml' }) });
      await red.getByText('1 entry of this report').waitFor();
      await red.getByRole('rowheader', { name: HOSTILE }).waitFor();
      await red.getByRole('button', { name: /^View text/ }).click();
      await red.getByRole('region').getByText(JUNIT.trim()).waitFor();
      await dashboard.expectSound(page);

      const long = page.getByRole('article').filter({ has: page.getByRole('heading', { name: 'long.info' }) });
      await long.getByRole('button', { name: /^View text/ }).click();
      await long.getByText('These are the first 1 MB.').waitFor();
      await long.getByLabel('Search in the text').fill('sf:');
      await long.getByText('1 of 1', { exact: true }).waitFor();
      await long.getByLabel('Search in the text').fill('DA:1');
      await long.getByRole('button', { name: 'Previous match' }).click();
      await long.locator('mark').last().waitFor();
      expect(await long.locator('code').count()).toBeLessThan(200);
      expect(await page.title()).not.toBe('stolen');
      expect(await page.locator('img[src=x]').count()).toBe(0);
      expect(dashboard.complaints).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('says that an upload or a text cannot be loaded, and tries again', async () => {
    const id = await findRelease(dashboard, 'payments', 'v1.4.0');
    const [item] = await listItems(id);
    const page = await dashboard.openSignedIn('/w/acme/releases');
    await page.route('**/api/evidence/**', (route) =>
      route.fulfill({ status: 404, json: { error: 'This is a sentence of the service.' } }),
    );
    await page.goto(`${dashboard.url}/w/acme/releases/${id}/evidence/${item?.evidenceId}`);
    await page.getByRole('alert').getByText('This is a sentence of the service.').waitFor();
    await page.unroute('**/api/evidence/**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Reports' }).waitFor();
  });
}
