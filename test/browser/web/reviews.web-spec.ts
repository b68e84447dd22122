import { expect, it } from '@jest/globals';
import type { DashboardUnderTest } from './dashboard-under-test.js';

const REVIEWER = 'release-manager';
const PATIENCE_MS = 30_000;
const HOSTILE = '<img src=x onerror=alert(1)>';
const SHA = '4f1c2d9e8b7a6f5e4d3c2b1a09f8e7d6c5b4a392';
const ONE = { count: 1, names: [HOSTILE] };

/** A brief with all that one can have. */
const BRIEF = {
  since: {
    milestoneId: '00000000-0000-4000-8000-000000000001',
    version: 'v0.8.1',
    commitSha: SHA,
    comparisonUrl: `https://github.com/acme/catalog/compare/${SHA}...${SHA}`,
    changes: { commits: 250, commitsComplete: false, files: 2, filesComplete: true, paths: [HOSTILE, 'src/a.ts'] },
  },
  tests: {
    now: { passed: 7, failed: 1, skipped: 0 },
    before: { passed: 9, failed: 0, skipped: 0 },
    change: { newFailures: ONE, fixedTests: ONE, lostTests: { count: 3, names: [HOSTILE] } },
    flaky: { ...ONE, rate: 0.125 },
    comparison: 'known',
  },
  change: { score: -1.5, coverage: 0.25 },
  newFindings: { count: 2, findings: [{ label: HOSTILE, severity: 'high', count: 2 }], unidentified: 1 },
  scanChange: { lost: ['security'], added: ['sast_scan'] },
  overrides: [
    {
      id: '00000000-0000-4000-8000-000000000002',
      kind: 'waiver',
      reason: HOSTILE,
      expiresAt: '2030-05-04T10:00:00.000Z',
      conditions: [{ code: 'issue_open', detail: 'Issue #1 is still open.', actor: 'team' }],
    },
  ],
  ownReview: {
    login: REVIEWER,
    avatarUrl: null,
    state: 'approved',
    commitSha: SHA,
    submittedAt: '2026-05-04T10:00:00Z',
    counts: false,
    reason: 'It was given for another commit of the evidence pull request.',
  },
};

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

  it('says for each review what changed, and marks one with lost tests', async () => {
    const page = await dashboard.openSignedIn('/w/acme/releases', { width: 1280 });
    await page.goto(`${dashboard.url}/w/acme/reviews?scope=workspace`);
    const opener = page.getByRole('button', { name: 'What changed in catalog v0.8.4' });
    const brief = page.getByRole('region', { name: 'What changed in catalog v0.8.4' });
    await opener.click();
    await page.waitForURL(/open=/);
    await brief.getByText('No release of this repository was shipped before.').first().waitFor();
    await brief.getByText('125 passed, 0 failed, 0 skipped').waitFor();
    await brief.getByText('You have not reviewed it.').waitFor();
    expect(await opener.getAttribute('aria-expanded')).toBe('true');

    await page.route(/\/api\/reviews\/(pending|release\/[^/]+\/brief)/, async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { readonly reviews?: readonly object[] };
      const json = body.reviews
        ? { ...body, reviews: body.reviews.map((review) => ({ ...review, lostTests: 3 })) }
        : { ...body, ...BRIEF };
      await route.fulfill({ response, json });
    });
    await page.reload();
    await page.getByRole('rowheader', { name: 'catalog v0.8.4' }).getByText('3 lost tests').waitFor();
    await brief.getByText('at least 250 commits, 2 files').click();
    await brief.getByText('1 new failure').click();
    await brief.getByText('2 new findings').click();
    expect(await brief.getByText(HOSTILE).filter({ visible: true }).count()).toBe(4);
    for (const part of ['3 lost tests', '1 fixed test', '1 flaky test', '(-1.5 points)', '(+0.25 percentage points)'])
      await brief.getByText(part, { exact: true }).waitFor();
    await brief.getByText('1 finding cannot be compared.').waitFor();
    await brief.getByText('No security scan this time; v0.8.1 had one').waitFor();
    await brief.getByText('The code scan is new: v0.8.1 had none.').waitFor();
    await brief.getByText(BRIEF.ownReview.reason).waitFor();
    const comparison = brief.getByRole('link', { name: 'Compare with v0.8.1 on GitHub' });
    expect(await comparison.getAttribute('href')).toBe(BRIEF.since.comparisonUrl);
    await dashboard.expectSoundInAllModes(page);
    await opener.click();
    await brief.waitFor({ state: 'detached' });
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
