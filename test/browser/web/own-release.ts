import path from 'node:path';
import type { Page } from 'playwright-core';
import { Ci, nextRunId } from '../../demo/ci.js';
import type { DashboardUnderTest } from './dashboard-under-test.js';

const PAUSE_MS = 200;
const ATTEMPTS = 300;
export const DEMO_REPORTS = path.join(process.cwd(), 'test/demo/reports');

/** Repeats a check until it holds. */
export async function until(what: string, check: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (await check()) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error(`This did not happen: ${what}.`);
}

/** Waits until no part of the page is loading. */
export const untilLoaded = (page: Page): Promise<void> =>
  until('everything is loaded', async () => (await page.locator('[aria-busy=true]').count()) === 0);

/** Returns the id of a release. Waits until the service has stored it. */
export async function findRelease(dashboard: DashboardUnderTest, repo: string, version: string): Promise<string> {
  const user = await dashboard.signIn();
  let id = '';
  await until(`${repo} ${version} is known`, async () => {
    const { milestones } = await user.get<{
      milestones: readonly { readonly milestoneId: string; readonly version: string }[];
    }>(`/api/milestones/acme/${repo}`);
    id = milestones.find((release) => release.version === version)?.milestoneId ?? '';
    return id !== '';
  });
  return id;
}

/** Waits for the notice of an action that is done. */
export const waitForNotice = async (page: Page, text: string): Promise<void> =>
  page.getByRole('region', { name: 'Notice' }).getByText(text).waitFor();

/** Creates a hotfix of the repository "checkout" with these reports, and returns its id when the service has evaluated them. */
export async function createHotfix(
  dashboard: DashboardUnderTest,
  version: string,
  files: readonly string[],
  reports = DEMO_REPORTS,
): Promise<string> {
  const { issuer, repositories, accounts, service } = dashboard.environment;
  const { checkout } = repositories;
  checkout.milestones.create({ title: version });
  const author = accounts.developer;
  const sha = checkout.commit({ files: { 'src/hotfix.ts': `export const fixed = '${version}';\n` }, author });
  checkout.createBranch(`hotfix/${version}`, sha, author);
  const id = await findRelease(dashboard, 'checkout', version);
  const ci = new Ci({ serviceUrl: service.url, issuer, reports }, checkout, { sha, runId: nextRunId() });
  await until(`${version} has evidence`, async () => (await ci.upload(version, 'test', files)) < 300);
  const user = await dashboard.signIn();
  await until(`${version} is evaluated with its evidence`, async () => {
    const details = await user.get<{ readonly release: { readonly stage: string } }>(
      `/api/milestones/${id}?look=stored`,
    );
    return ['TESTING', 'EVIDENCING'].includes(details.release.stage);
  });
  return id;
}
