import { expect, it } from '@jest/globals';
import type { DashboardUnderTest } from './dashboard-under-test.js';

const REVIEWER = 'release-manager';
const PATIENCE_MS = 30_000;

interface PendingReviews {
  readonly unknown: number;
  readonly workspaceTotal: number;
  readonly reviews: readonly {
    readonly evidencePrUrl: string;
    readonly eligibility: { readonly reason: string };
    readonly approvalEffects: { readonly summary: string };
  }[];
}

/** The releases that wait for approvals. */
export function testReviews(dashboard: DashboardUnderTest): void {
  /** The response of the service after it has checked all reviews with GitHub. */
  async function untilChecked(): Promise<PendingReviews> {
    const user = await dashboard.signIn(REVIEWER);
    for (const end = Date.now() + PATIENCE_MS; ;) {
      const answer = await user.get<PendingReviews>('/api/reviews/pending?scope=mine&page=1');
      if (answer.unknown === 0) return answer;
      if (Date.now() > end) throw new Error('The reviews are still being checked.');
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  it('never says that no review waits while some are being checked, and shows them without a reload', async () => {
    const { reviews, workspaceTotal } = await untilChecked();
    expect(reviews).toHaveLength(1);
    const page = await dashboard.openSignedIn('/w/acme/releases', { login: REVIEWER, width: 1280 });
    let isChecked = false;
    await page.route('**/api/reviews/pending?*', (route) =>
      isChecked
        ? route.continue()
        : route.fulfill({
            json: {
              reviews: [],
              unknown: 1,
              workspaceTotal,
              pagination: { page: 1, pageSize: 25, total: 0, pages: 1 },
            },
          }),
    );
    await page.goto(`${dashboard.url}/w/acme/reviews`);
    await page.getByText('Shipgate is checking 1 review with GitHub.').waitFor();
    expect(await page.getByText('No review waits for you.').count()).toBe(0);
    expect(await page.getByRole('navigation', { name: 'Whose reviews' }).innerText()).not.toContain('0');
    expect(await page.getByRole('link', { name: 'Unknown 1' }).getAttribute('href')).toBe(
      '/w/acme/reviews?scope=unknown',
    );
    await dashboard.expectSound(page);
    isChecked = true;
    const row = page.getByRole('row', { name: 'catalog v0.8.4' });
    await row.getByText('You can approve').waitFor();
    expect(await page.getByText('Shipgate is checking').count()).toBe(0);
    for (const sentence of [reviews[0]!.eligibility.reason, reviews[0]!.approvalEffects.summary, '0 of 1'])
      expect(await row.innerText()).toContain(sentence);
    const review = row.getByRole('link', { name: 'Review on GitHub' });
    expect(await review.getAttribute('href')).toBe(reviews[0]!.evidencePrUrl);
    await dashboard.expectSound(page);
  });

  it('says how long a release has been waiting', async () => {
    const page = await dashboard.openSignedIn('/w/acme/reviews?scope=workspace');
    const waiting = page.getByRole('rowheader').first().getByText('Waiting for');
    await waiting.waitFor();
    expect(await waiting.innerText()).toMatch(/^Waiting for (\d+ (d|h|min) ?){1,2}$/);
  });

  it('says that no review waits, and leads to those of the workspace', async () => {
    const page = await dashboard.openSignedIn('/w/acme/releases', { width: 360, colorScheme: 'dark' });
    await page.route('**/api/reviews/pending?scope=mine*', (route) =>
      route.fulfill({
        json: {
          reviews: [],
          unknown: 0,
          workspaceTotal: 1,
          pagination: { page: 1, pageSize: 25, total: 0, pages: 1 },
        },
      }),
    );
    await page.goto(`${dashboard.url}/w/acme/reviews`);
    await page.getByText('No review waits for you.').waitFor();
    await page.getByRole('link', { name: '1 release waits for approvals in this workspace.' }).click();
    await page.waitForURL('**/reviews?scope=workspace');
    await page.getByRole('rowheader', { name: 'catalog v0.8.4' }).waitFor();
    expect(await page.locator('nav[aria-label="Whose reviews"] [aria-current]').allInnerTexts()).toEqual([
      expect.stringContaining('Workspace'),
    ]);
    await dashboard.expectSound(page);
    await untilChecked();
    await page.getByRole('link', { name: /^Unknown/ }).click();
    await page.waitForURL('**/reviews?scope=unknown');
    await page.getByRole('rowheader').waitFor({ state: 'detached' });
    await page.getByText(/^Shipgate is checking|^GitHub has confirmed/).waitFor();
    expect(dashboard.complaints).toEqual([]);
  });
}
