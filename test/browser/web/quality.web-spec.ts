import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import type { DashboardUnderTest } from './dashboard-under-test.js';

const HOSTILE = '<img src=x onerror=alert(1)>';

interface ReleaseGroup {
  readonly milestoneId: string;
  readonly repo: string;
  readonly version: string;
  readonly moreResults: number;
  readonly scorecard: {
    readonly grade: string;
    readonly score: number;
    readonly caps: readonly { readonly grade: string; readonly reason: string }[];
    readonly categories: readonly { readonly score: number | null; readonly detail: string }[];
  };
}

/** The scorecards. */
export function testQuality(dashboard: DashboardUnderTest): void {
  it('shows grade, score, caps and categories of each release as the service does', async () => {
    const user = await dashboard.signIn();
    const { results } = await user.get<{ readonly results: readonly ReleaseGroup[] }>('/api/quality?page=1');
    expect(results.length).toBeGreaterThan(2);
    const page = await dashboard.openSignedIn('/w/acme/quality', { width: 1280 });
    await page.getByText(`${results.length} releases`, { exact: true }).waitFor();
    for (const { repo, version, scorecard } of results) {
      const row = page.getByRole('row', { name: `${repo} ${version}` });
      const summary = await row.innerText();
      expect(summary).toContain(`${scorecard.score} of 100`);
      expect(summary).toMatch(new RegExp(`Grade\\s*${scorecard.grade}\\b`));
      await row.getByRole('button', { name: 'Show the scorecard' }).click();
      const panel = page.getByRole('article', { name: `${repo} ${version}` });
      const content = await panel.innerText();
      expect(content).toContain(`${scorecard.score} of 100`);
      for (const { grade, reason } of scorecard.caps)
        expect(content).toContain(`Not better than ${grade} because: ${reason}`);
      const bars = await panel.getByRole('img').evaluateAll((images) => images.map(({ textContent }) => textContent));
      expect(bars.map((bar) => bar?.replace(/^\w+: /, ''))).toEqual(
        scorecard.categories.map(({ score }) => (score === null ? 'Not measured' : String(score))),
      );
      for (const { detail } of scorecard.categories) expect(content).toContain(detail);
    }
    await dashboard.expectSound(page);
  });

  it('shows the scores of one repository as a line and a table, the results of a release, and exports the selection', async () => {
    const page = await dashboard.openSignedIn('/w/acme/quality', { width: 360, colorScheme: 'dark' });
    await page.getByLabel('Repository').selectOption('catalog');
    await page.waitForURL('**/quality?repo=catalog');
    await page.getByRole('img', { name: /^Scores of the releases of catalog/ }).waitFor();
    const scores = page.getByRole('region', { name: 'Scores of catalog' });
    expect(await scores.getByRole('rowheader').allInnerTexts()).toHaveLength(2);
    await page.getByRole('button', { name: 'Show the scorecard of catalog v0.9.0' }).click();
    await page.waitForURL('**/quality?repo=catalog&open=*');
    const result = page.getByRole('row', { name: /Unit tests/ });
    await result.getByText('2 tests: 1 passed, 1 failed').waitFor();
    expect(await result.getByText('Failed', { exact: true }).count()).toBe(1);
    await dashboard.expectSound(page);
    const [csv] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export 2 releases: CSV' }).click(),
    ]);
    expect(new URL(csv.url()).search).toBe('?repo=catalog&format=csv&workspace=acme');
    const content = readFileSync(await csv.path(), 'utf8');
    expect([content.includes('catalog'), content.includes('payments')]).toEqual([true, false]);
    for (const format of ['HTML report', 'Excel']) {
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: `Export 2 releases: ${format}` }).click(),
      ]);
      expect(readFileSync(await file.path()).length).toBeGreaterThan(1_000);
    }
    await page.getByLabel('Release', { exact: true }).selectOption('v1.4.0');
    await page.getByText('No release matches these filters.').waitFor();
    await page.getByRole('link', { name: 'Clear the filters' }).click();
    await page.getByRole('row', { name: 'payments v1.4.0' }).waitFor();
  });

  it('shows 25 releases in 2,500 pixels, each with its earlier scores and what its tests show', async () => {
    const user = await dashboard.signIn();
    const answer = await user.get<{ readonly results: readonly ReleaseGroup[] }>('/api/quality?page=1&results=none');
    const results = Array.from({ length: 25 }, (_, at) => ({
      ...answer.results[0],
      ...CHANGE,
      milestoneId: `00000000-0000-4000-8000-0000000001${String(at).padStart(2, '0')}`,
      version: `v1.4.${at}`,
      earlierScores: [90, null, 70.5, 80],
    }));
    const page = await dashboard.openSignedIn('/w/acme/releases', { width: 1280 });
    await page.route('**/api/quality?*', (route) => route.fulfill({ json: { ...answer, results } }));
    await page.getByRole('link', { name: 'Quality' }).click();
    const row = page.getByRole('row', { name: /v1\.4\.24/ });
    for (const label of ['-1.5 points', '2 new failures', '1 lost test', '1 flaky test'])
      await row.getByText(label).waitFor();
    await row.getByRole('img', { name: /: 90, none, 70\.5, 80, / }).waitFor();
    expect(await page.evaluate<number>('document.documentElement.scrollHeight')).toBeLessThanOrEqual(2_500);
    await dashboard.expectSoundInAllModes(page);
  });

  it('shows changes and flaky tests by name, and foreign texts as text', async () => {
    const user = await dashboard.signIn();
    const answer = await user.get<{ readonly results: readonly ReleaseGroup[] }>('/api/quality?page=1&results=none');
    const page = await dashboard.openSignedIn('/w/acme/releases', { width: 1280 });
    await page.route('**/api/quality?*', (route) =>
      route.fulfill({ json: { ...answer, results: [{ ...answer.results[0], ...CHANGE }] } }),
    );
    await page.getByRole('link', { name: 'Quality' }).click();
    await page.getByRole('button', { name: 'Show the scorecard' }).click();
    const panel = page.getByRole('article');
    await panel.getByText('Score -1.5 points').waitFor();
    const content = await panel.innerText();
    for (const part of [
      'Since v1.3.0',
      'Line coverage +0.25 percentage points',
      '2 new failures',
      HOSTILE,
      'and 1 more',
      '1 lost test',
      '1 flaky test, 12.5% of those that ran',
    ])
      expect(content).toContain(part);
    await dashboard.expectSound(page);
  });
}

const CHANGE = {
  comparison: 'known',
  flaky: { count: 1, rate: 0.125, names: ['pays › retries'] },
  change: {
    against: { milestoneId: '00000000-0000-4000-8000-000000000001', version: 'v1.3.0' },
    score: -1.5,
    coverage: 0.25,
    tests: {
      newFailures: { count: 2, names: [HOSTILE] },
      fixedTests: { count: 0, names: [] },
      lostTests: { count: 1, names: ['pays › refuses an expired panel'] },
    },
  },
};
