import path from 'node:path';
import { expect, it } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import { Ci, nextRunId } from '../../demo/ci.js';
import { Narrator } from '../../demo/narrator.js';
import { ReleaseWalkthrough } from '../../demo/release-walkthrough.js';
import type { DashboardUnderTest } from './dashboard-under-test.js';
import { DEMO_REPORTS, until } from './own-release.js';

const HOSTILE = '<img src=x onerror=alert(1)>';
const TABS = ['Scope', 'Checks', 'Approvals', 'Policy'];
/** Longer than any verdict is valid. */
const AN_HOUR = '01:00:00';
/** The window of a laptop. */
const LAPTOP = { width: 1440, height: 900 } as const;

interface Condition {
  readonly code: string;
  readonly detail: string;
  readonly actor: string;
  readonly override: string;
  readonly closesGate: boolean;
  readonly failedTests: {
    readonly runUrl: string;
    readonly tests: { readonly name: string; history: object | null }[];
  } | null;
}

interface Details {
  readonly release: { readonly milestoneId: string; readonly repo: string; readonly version: string };
  readonly reasons: Condition[];
  readonly evidence: readonly unknown[];
  readonly stages: readonly {
    readonly stage: string;
    readonly met: readonly { readonly detail: string }[];
    readonly unmet: readonly Condition[];
    readonly unknown: Condition[];
  }[];
  readonly approvals: {
    readonly given: number;
    readonly reviews: readonly { readonly login: string; readonly reason: string | null }[];
  };
  readonly policy: { readonly digest: string };
  readonly viewer: { canChangeScope: string; readonly eligibility: { readonly reason: string } };
  readonly verification: { status: string; reason: string | null };
}

/** The screen of one release. */
export function testRelease(dashboard: DashboardUnderTest): void {
  const findId = async (repo: string, version: string): Promise<string> => {
    const user = await dashboard.signIn();
    for (;;) {
      const { milestones } = await user.get<{ milestones: readonly Details['release'][] }>(
        `/api/milestones/acme/${repo}`,
      );
      const found = milestones.find((release) => release.version === version);
      if (found) return found.milestoneId;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  };

  const read = async (id: string): Promise<Details> =>
    (await dashboard.signIn()).get<Details>(`/api/milestones/${id}?look=stored`);

  const open = async (repo: string, version: string, tab = '', options = {}): Promise<readonly [Page, string]> => {
    const id = await findId(repo, version);
    const page = await dashboard.openSignedIn(`/w/acme/releases/${id}${tab}`, options);
    await page.getByRole('heading', { level: 1, name: `${repo} ${version}` }).waitFor();
    return [page, id];
  };

  /** Changes every answer about the release on its way to the browser. */
  const changeAnswers = (page: Page, change: (details: Details) => void): Promise<unknown> =>
    page.route(/\/api\/milestones\/[^/]+\?look=/, async (route: Route) => {
      const response = await route.fetch();
      const details = (await response.json()) as Details;
      change(details);
      await route.fulfill({ response, json: details });
    });

  it('opens from the list, which preloads what is stored, and shows the answer, the reasons and the stages', async () => {
    const page = await dashboard.openSignedIn('/w/acme/releases');
    const reads: string[] = [];
    page.on('request', (request) => reads.push(/\?look=(\w+)/.exec(request.url())?.[1] ?? ''));
    const link = page.getByRole('link', { name: 'catalog v0.9.0' });
    const preloaded = page.waitForResponse(/look=stored/);
    await link.hover();
    await preloaded;
    expect(reads).not.toContain('live');
    await link.click();
    await page.getByText('Blocked: 1 condition is not met.').waitFor();
    await page.getByText('Read from GitHub:').first().waitFor();
    expect(await page.title()).toBe('v0.9.0 · catalog · Shipgate');

    const { reasons, stages } = await read(await findId('catalog', 'v0.9.0'));
    const blockers = page.getByRole('region', { name: 'What keeps the gate closed' });
    expect(await blockers.locator('p[lang=en]').allInnerTexts()).toEqual(reasons.map(({ detail }) => detail));
    expect(await blockers.getByRole('listitem').first().innerText()).toMatch(/Evidence fails\s+Team\s+You can do this/);
    const current = page.getByRole('listitem').and(page.locator('[aria-current=step]'));
    const testing = stages.find(({ stage }) => stage === 'TESTING');
    expect(await current.innerText()).toContain('Testing');
    for (const { detail } of testing?.met ?? []) await current.getByText(detail).waitFor();
    await current.getByText('1 condition is listed above.').waitFor();
    await page.getByRole('button', { name: /^Planning/ }).click();
    await page.getByText('Work is linked to the release.').waitFor();
    expect(await page.getByText('sdlc.yaml is valid.').isVisible()).toBe(false);
    expect(dashboard.complaints).toEqual([]);
  });

  it.each([
    ['catalog', 'v0.9.0'],
    ['checkout', 'v2.3.0'],
    ['checkout', 'v3.0.0'],
  ] as const)(
    'names what the gate names for %s %s, each with its actor and the way to its facts',
    async (repo, version) => {
      const { repositories, issuer, service } = dashboard.environment;
      const sha = repositories[repo].git.branchHead('main') ?? '';
      const settings = { serviceUrl: service.url, issuer, reports: DEMO_REPORTS };
      const gate = await new Ci(settings, repositories[repo], { sha, runId: nextRunId() }).gate(version);
      expect(gate.isOpen).toBe(false);
      const [page] = await open(repo, version, '', { login: dashboard.environment.accounts.developer.login });
      const blockers = page.getByRole('region', { name: 'What keeps the gate closed' });
      await blockers.waitFor();
      const details = await blockers.locator('p[lang=en]').allInnerTexts();
      expect(details.toSorted()).toEqual(gate.reasons.map(({ detail }) => detail).toSorted());
      for (const { detail, actor } of gate.reasons) {
        const item = blockers.getByRole('listitem').filter({ has: page.getByText(detail, { exact: true }) });
        expect((await item.innerText()).toLowerCase()).toContain(actor === 'service' ? 'shipgate' : actor);
        expect(await item.getByRole('link').or(item.getByRole('button')).count()).toBeGreaterThan(0);
      }
    },
  );

  it('shows met, unmet and unknown conditions with word, actor and next step', async () => {
    const id = await findId('catalog', 'v0.9.0');
    const page = await dashboard.openSignedIn('/w/acme/releases');
    await changeAnswers(page, ({ stages }) =>
      stages[2]?.unknown.push({
        code: 'unknown',
        detail: `Not known yet: ${HOSTILE}.`,
        actor: 'service',
        override: 'none',
        closesGate: false,
        failedTests: null,
      }),
    );
    await page.goto(`${dashboard.url}/w/acme/releases/${id}`);
    const stage = page.locator('li[aria-current=step]');
    await stage.getByText('2 met · 1 not met · 1 unknown').waitFor();
    const unknown = stage.getByRole('listitem').filter({ hasText: `Not known yet: ${HOSTILE}.` });
    expect((await unknown.innerText()).split('\n').map((line) => line.trim())).toEqual(
      expect.arrayContaining(['Unknown', 'A fact is not known', 'Shipgate']),
    );
    expect(await unknown.innerText()).toContain('Next step: Read the release again.');
    expect(await page.getByText('Not met', { exact: true }).count()).toBe(1);
    expect(await stage.getByText('Met', { exact: true }).count()).toBe(2);
    await dashboard.expectSound(page);
  });

  it('names the failed tests with the reason, their history and the CI run on the first screen of a laptop', async () => {
    const id = await findId('catalog', 'v0.9.0');
    const { reasons } = await read(id);
    const failed = reasons[0]!.failedTests!;
    const page = await dashboard.openSignedIn('/w/acme/releases');
    await page.setViewportSize(LAPTOP);
    await page.goto(`${dashboard.url}/w/acme/releases/${id}`);
    const blockers = page.getByRole('region', { name: 'What keeps the gate closed' });
    const run = blockers.getByRole('link', { name: 'Open the CI run' });
    expect(await run.getAttribute('href')).toBe(failed.runUrl);
    for (const part of [
      blockers.getByText(failed.tests[0]!.name, { exact: true }),
      blockers.getByText('Received: 0.30000000000000004'),
      blockers.getByText('Fails since this run, no earlier pass is known.'),
      run,
    ]) {
      const box = await part.boundingBox();
      expect(box!.y + box!.height).toBeLessThanOrEqual(LAPTOP.height);
    }
    expect(await page.evaluate('scrollY')).toBe(0);

    await changeAnswers(page, (details) => {
      const test = details.reasons[0]!.failedTests!.tests[0]!;
      test.history = { failingSince: { day: '2026-05-02', runUrl: failed.runUrl }, lastPassedIn: 'v0.8.1' };
      details.reasons[0]!.failedTests!.tests.push({ ...test, name: HOSTILE, history: null });
    });
    await page.reload();
    await blockers.getByText('Failing since May 2, 2026 , last passed in v0.8.1.').waitFor();
    await blockers.getByText('It is not known since when it fails.').waitFor();
    expect(await blockers.getByRole('link', { name: 'Failing since May 2, 2026' }).getAttribute('href')).toBe(
      failed.runUrl,
    );
    await dashboard.expectSoundInAllModes(page);
    await page.setViewportSize(LAPTOP);
    await blockers.getByRole('link', { name: 'Show all failures' }).click();
    await page.waitForURL(/\/evidence\/[^/]+#failures$/);
  });

  it.each([
    ['catalog', 'v0.9.0'],
    ['checkout', 'v3.0.0'],
    ['checkout', 'v2.2.1'],
  ] as const)(
    'shows each blocker of %s %s once, and its parts on the first screen of a laptop',
    async (repo, version) => {
      const id = await findId(repo, version);
      const page = await dashboard.openSignedIn('/w/acme/releases');
      await page.setViewportSize(LAPTOP);
      await page.goto(`${dashboard.url}/w/acme/releases/${id}`);
      const parts = page.getByRole('navigation', { name: 'Parts of the release' });
      const expectOnFirstScreen = async (): Promise<void> => {
        await page
          .getByText(/^(Read from GitHub:|As of the deployment)/)
          .first()
          .waitFor();
        const box = await parts.boundingBox();
        expect(box!.y + box!.height).toBeLessThanOrEqual(LAPTOP.height);
      };
      await expectOnFirstScreen();
      const { reasons, evidence } = await read(id);
      for (const { detail } of reasons) expect(await page.getByText(detail, { exact: true }).count()).toBe(1);
      expect(await page.getByText(/not met$/i).count()).toBe(reasons.length === 0 ? 0 : reasons.length + 1);
      await parts.getByRole('link', { name: `Evidence ${evidence.length}`, exact: true }).waitFor();

      await changeAnswers(page, (details) => {
        for (let number = 1; number <= 11 && details.reasons[0]; number += 1)
          details.reasons.push({ ...details.reasons[0], detail: `Issue #${number} is still open.`, failedTests: null });
      });
      await page.reload();
      await expectOnFirstScreen();
      if (reasons.length === 0) return;
      expect(await page.getByText('Issue #11 is still open.').isVisible()).toBe(false);
      await page.getByText(`Show ${reasons.length + 8} more`).click();
      expect(await page.getByText('Issue #11 is still open.').isVisible()).toBe(true);
    },
  );

  it('stops looking ready when the time of the verdict is over, without a reload or an event', async () => {
    const id = await findId('checkout', 'v2.2.1');
    const page = await dashboard.openSignedIn('/w/acme/releases');
    await page.clock.install();
    await page.goto(`${dashboard.url}/w/acme/releases/${id}`);
    await page.getByText(/^Ready to deploy [0-9a-f]{7} to production\.$/).waitFor();
    await page.getByText('Read from GitHub:').first().waitFor();
    const reads: string[] = [];
    page.on('request', (request) => reads.push(...(request.url().includes('look=live') ? ['live'] : [])));
    await page.route('**/api/milestones/**', (route) => route.abort());
    // Otherwise the time in another answer would show that it is still an hour earlier.
    await page.route(/\/api\/(?!milestones|events)/, async (route) => {
      const response = await route.fetch();
      const { date: _, ...headers } = response.headers();
      await route.fulfill({ response, headers });
    });
    await page.clock.fastForward(AN_HOUR);
    await page.getByText('Out of date: the facts are too old, so nothing may be deployed.').waitFor();
    expect(await page.getByText(/^Ready to deploy [0-9a-f]/).count()).toBe(0);
    await page.getByText('Out of date', { exact: true }).waitFor();
    expect(reads.length).toBeLessThanOrEqual(3);
  });

  it('shows what is stored while GitHub does not answer, and then says why it is not verified', async () => {
    const id = await findId('catalog', 'v0.8.4');
    const page = await dashboard.openSignedIn('/w/acme/releases');
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const reason = 'GitHub did not answer within 3 seconds.';
    await page.route(/look=live/, async (route) => {
      await answered;
      const response = await route.fetch();
      const details = (await response.json()) as Details;
      details.verification.status = 'unknown';
      details.verification.reason = reason;
      await route.fulfill({ response, json: details });
    });
    await page.goto(`${dashboard.url}/w/acme/releases/${id}`);
    await page.getByText('Needs approval: 0 of 1 given.').waitFor();
    await page.getByText('Reading from GitHub…').waitFor();
    answer();
    await page.getByText(`Not verified. ${reason}`).waitFor();
    expect(await page.getByText('Ready to deploy', { exact: true }).count()).toBe(0);
  });

  it('links, assigns, unassigns and unlinks issues, with undo', async () => {
    dashboard.expectRejections(404, 422);
    const { catalog } = dashboard.environment.repositories;
    const milestone = catalog.milestones.create({ title: 'v9.0.0' });
    const loose = catalog.issues.create({ title: HOSTILE });
    const closed = catalog.issues.create({ title: 'Done long ago', milestone });
    catalog.issues.close(closed);
    const [page] = await open('catalog', 'v9.0.0', '/scope');
    const row = page.getByRole('row').filter({ hasText: HOSTILE });
    const notice = page.getByRole('region', { name: 'Notice' });
    const dialog = page.getByRole('dialog');
    const opener = page.getByRole('button', { name: 'Link an issue' });
    const issue = dialog.getByLabel('Issue', { exact: true });

    await page.getByRole('rowheader', { name: 'Done long ago' }).waitFor();
    await opener.click();
    await dialog.getByRole('radio', { name: HOSTILE }).waitFor();
    expect(await dialog.getByRole('radio', { name: 'Done long ago' }).count()).toBe(0);
    await dashboard.expectSound(page);
    await issue.fill('first');
    await dialog.getByRole('button', { name: 'Link the issue' }).click();
    await dialog.getByText('Choose an issue, or type its number.').waitFor();
    await issue.fill(`#${closed.number}999`);
    await issue.press('Enter');
    await dialog.getByText(/no issue #/).waitFor();
    expect(await issue.inputValue()).toBe(`#${closed.number}999`);

    // Found by a part of its title, and chosen with the keyboard alone.
    await issue.fill('ONERROR');
    await dialog.getByText('Found 1 issue.').waitFor();
    await issue.press('Tab');
    await page.keyboard.press('Space');
    expect(await dialog.getByRole('radio', { name: HOSTILE }).isChecked()).toBe(true);
    await page.keyboard.press('Enter');
    await row.waitFor();
    expect(loose.milestone).toBe(milestone);
    await dialog.waitFor({ state: 'detached' });
    expect(await opener.evaluate((button) => button.matches(':focus'))).toBe(true);
    await notice.getByRole('button', { name: 'Undo' }).click();
    await row.waitFor({ state: 'detached' });
    expect(loose.milestone).toBeNull();

    // A known number is sent without waiting for the search.
    await opener.click();
    await issue.fill(String(loose.number));
    await issue.press('Enter');
    await page.getByRole('button', { name: `Assign issue #${loose.number}` }).click();
    const login = dialog.getByLabel('Login on GitHub');
    await dialog.getByRole('radio', { name: /^developer/ }).waitFor();
    await dashboard.expectSound(page);
    await login.fill('no-such-login');
    await dialog.getByText('Found 0 users.').waitFor();
    await dialog.getByRole('button', { name: 'Assign the issue' }).click();
    await dialog.getByRole('alert').waitFor();
    expect(await login.inputValue()).toBe('no-such-login');
    await login.fill('devel');
    await dialog.getByRole('radio', { name: /^developer/ }).check();
    await dialog.getByRole('button', { name: 'Assign the issue' }).click();
    await row.getByRole('button', { name: `Remove developer from issue #${loose.number}` }).click();
    await row.getByText('No owner').waitFor();
    await notice.getByRole('button', { name: 'Undo' }).click();
    await row.getByRole('button', { name: `Remove developer from issue #${loose.number}` }).waitFor();

    await page.getByRole('button', { name: `Unlink issue #${loose.number}` }).click();
    await row.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: `Unlink issue #${closed.number}` }).click();
    await page.getByText('Only an open issue can be linked').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click();
    await page.getByText('No issue belongs to this release.').waitFor();
    expect(await notice.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    expect(closed.milestone).toBeNull();
  });

  it('shows changes of the scope disabled, with the reason, to a user without triage', async () => {
    const id = await findId('checkout', 'v2.3.0');
    const page = await dashboard.openSignedIn('/w/acme/releases', {
      login: dashboard.environment.accounts.developer.login,
    });
    await changeAnswers(page, ({ viewer }) => {
      viewer.canChangeScope = 'no';
    });
    await page.goto(`${dashboard.url}/w/acme/releases/${id}/scope`);
    for (const name of ['Link an issue', /^Assign issue/, /^Unlink issue/, /^Remove developer/]) {
      const button = page.getByRole('button', { name, disabled: true });
      expect(
        await button.evaluate(
          (element) =>
            element.ownerDocument.getElementById(element.getAttribute('aria-describedby')?.split(' ')[0] ?? '')
              ?.innerText,
        ),
      ).toBe('You need the role triage or a higher one in the repository on GitHub.');
    }
    expect(await page.getByRole('button', { name: 'Record a deployment', disabled: true }).isVisible()).toBe(true);
    await page.getByText('Only an admin of the workspace can do this.').waitFor();
    await dashboard.expectSound(page);
  });

  it('shows who approved, what counts, who can still approve, and whether the viewer can', async () => {
    const [page, id] = await open('payments', 'v1.4.0', '/approvals');
    const { approvals, viewer } = await read(id);
    await page.getByText('1 approval given').waitFor();
    for (const { login, reason } of approvals.reviews) {
      const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: login }) });
      await row.getByText('Approved').waitFor();
      await row.getByText(reason ?? 'Counts', { exact: true }).waitFor();
    }
    await page.getByText(viewer.eligibility.reason).waitFor();
    await page.getByText('Shipped.').waitFor();
    await page.getByText('release-manager').first().waitFor();
    const waiting = await findId('catalog', 'v0.8.4');
    await page.goto(`${dashboard.url}/w/acme/releases/${waiting}/approvals`);
    await page.getByText('0 of 1 required approval given').waitFor();
    await page.getByText('You can approve', { exact: true }).waitFor();
    await page.getByText('There is no review of the evidence yet.').waitFor();
    expect(await page.getByRole('link', { name: /^Review on GitHub #/ }).getAttribute('href')).toContain('/pull/');
  });

  it('shows an author why they cannot approve, and that a review of an earlier commit does not count', async () => {
    const { repositories, accounts, issuer, service } = dashboard.environment;
    const { payments } = repositories;
    const { developer, releaseManager } = accounts;
    const version = 'v1.5.0';
    const settings = { serviceUrl: service.url, issuer, reports: DEMO_REPORTS };
    const milestone = payments.milestones.create({ title: version });
    const issue = payments.issues.create({ title: 'Vouchers', milestone, assignees: [developer] });
    const id = await findId('payments', version);
    const proveCommit = async (content: string): Promise<string> => {
      const sha = payments.commit({ files: { 'src/vouchers.ts': content }, author: developer });
      const ci = new Ci(settings, payments, { sha, runId: nextRunId() });
      await until(`${version} has evidence`, async () => (await ci.upload(version, 'test', ['junit.xml'])) < 300);
      expect(await ci.upload(version, 'quality', ['lcov.info', 'oxlint.sarif'])).toBe(201);
      return sha;
    };
    const reviewed = await proveCommit('export const vouchers = 1;\n');
    payments.issues.close(issue, developer);
    const branch = `shipgate/evidence/${version}`;
    const findPull = () =>
      payments.pulls.list().find(({ headRef, issue: { state } }) => headRef === branch && state === 'open');
    await until('the evidence pull request is open', async () => findPull() !== undefined);
    payments.pulls.reviews.submit(findPull()!, { by: releaseManager, state: 'APPROVED' });
    const [page] = await open('payments', version, '/approvals', { login: developer.login });
    await page.getByText('1 of 1 required approval given').waitFor();
    await page.getByText('You cannot approve', { exact: true }).waitFor();
    const { viewer } = await (
      await dashboard.signIn(developer.login)
    ).get<Details>(`/api/milestones/${id}?look=stored`);
    expect(viewer.eligibility.reason).toBe('developer wrote a commit of this release.');
    await page.getByText(viewer.eligibility.reason, { exact: true }).waitFor();

    await proveCommit('export const vouchers = 2;\n');
    await page.getByText('0 of 1 required approval given').waitFor();
    const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: releaseManager.login }) });
    await row.getByText('Does not count').waitFor();
    expect(await row.innerText()).not.toContain(reviewed);
    await dashboard.expectSound(page);
    payments.milestones.close(milestone);
  });

  it('shows the policy with its digest, and reads again', async () => {
    const [page, id] = await open('payments', 'v1.4.0', '/policy');
    const { policy } = await read(id);
    await page.getByText(policy.digest).waitFor();
    await page.getByText('unit_tests from staging, at least 5 passed tests').waitFor();
    await page.getByText('at least 80 % of lines').waitFor();
    const again = page.waitForResponse(/look=live/);
    await page.getByRole('button', { name: 'Read again' }).click();
    expect((await again).status()).toBe(200);
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Audit pack' }).click();
    expect((await download).suggestedFilename()).toMatch(/\.zip$/);
  });

  it('starts the work on a release', async () => {
    dashboard.environment.repositories.catalog.milestones.create({ title: 'v9.1.0' });
    const [page] = await open('catalog', 'v9.1.0');
    await page.getByRole('button', { name: 'Start work' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('It cannot be taken back.').waitFor();
    await dashboard.expectSound(page);
    await dialog.getByRole('button', { name: 'Start work' }).click();
    await page.getByRole('region', { name: 'Notice' }).getByText('Work has started.').waitFor();
    await page.getByRole('button', { name: 'Start work' }).waitFor({ state: 'detached' });
    await page
      .locator('li[aria-current=step]')
      .getByRole('button', { name: /^Development/ })
      .waitFor();
    expect(dashboard.complaints).toEqual([]);
  });

  it('opens another evidence pull request, and records a deployment of the approved release', async () => {
    const { environment } = dashboard;
    const { developer, releaseManager } = environment.accounts;
    const { checkout } = environment.repositories;
    const version = 'v9.2.1';
    const ciSettings = {
      serviceUrl: environment.service.url,
      issuer: environment.issuer,
      reports: path.join(process.cwd(), 'test/demo/reports'),
    };
    const walk = new ReleaseWalkthrough(environment, ciSettings, new Narrator(true));
    checkout.milestones.create({ title: version });
    const sha = checkout.commit({ files: { 'src/tax.ts': 'export const tax = 7;\n' }, author: developer });
    checkout.createBranch(`hotfix/${version}`, sha, developer);
    await walk.untilKnown(checkout, version);
    await new Ci(ciSettings, checkout, { sha, runId: nextRunId() }).upload(version, 'test', ['junit.xml']);
    checkout.pulls.close(await walk.evidencePull(checkout, version), releaseManager);

    const [page] = await open('checkout', version);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Open another pull request' }).click();
    await dialog.getByText('Earlier approvals do not count for it.').waitFor();
    await dialog.getByRole('button', { name: 'Open another pull request' }).click();
    await page.getByRole('region', { name: 'Notice' }).getByText('is opening the evidence pull request').waitFor();
    checkout.pulls.reviews.submit(await walk.evidencePull(checkout, version), {
      by: releaseManager,
      state: 'APPROVED',
    });
    await walk.expectGate(checkout, version, { stage: 'DEPLOYMENT', canDeploy: true });

    await page.getByText(`Ready to deploy ${sha.slice(0, 7)} to production.`).waitFor();
    await page.getByRole('button', { name: 'Record a deployment' }).click();
    await dialog.getByText(`This ships ${version}. It cannot be undone.`).waitFor();
    await dialog.getByLabel('Note').fill('deployed by hand');
    await dialog.getByRole('button', { name: 'Record the deployment' }).click();
    await page.getByText('Shipped.', { exact: true }).waitFor();
    await page.getByText('deployed by hand').waitFor();
    expect(await page.getByRole('button', { name: 'Record a deployment' }).count()).toBe(0);
    expect(dashboard.complaints).toEqual([]);
  });

  it('keeps the input if a deployment cannot be recorded', async () => {
    const [page] = await open('catalog', 'v0.8.4');
    await page.getByRole('button', { name: 'Record a deployment' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This ships v0.8.4. It cannot be undone.').waitFor();
    await dialog.getByLabel('Note').fill('deployed by hand');
    await dialog.getByRole('button', { name: 'Record the deployment' }).click();
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByLabel('Note').inputValue()).toBe('deployed by hand');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(
      await page
        .getByRole('button', { name: 'Record a deployment' })
        .evaluate((button) => button === button.ownerDocument.activeElement),
    ).toBe(true);
  });

  it('finds a release by its name, and says that there is none', async () => {
    const id = await findId('payments', 'v1.4.0');
    const page = await dashboard.openSignedIn('/w/acme/r/payments/v1.4.0');
    await page.waitForURL(`**/w/acme/releases/${id}`);
    await page.goto(`${dashboard.url}/w/acme/r/payments/v7.7.7`);
    await page.getByText('The release payments v7.7.7 does not exist, or you cannot see it.').waitFor();
    await page.goto(`${dashboard.url}/w/acme/releases/00000000-0000-4000-8000-000000000000`);
    await page.getByText('This release does not exist, or you cannot see it.').waitFor();
    await page.getByRole('link', { name: 'Sign in as another user' }).waitFor();
    await page.getByRole('link', { name: 'Go to your releases' }).waitFor();
  });

  it.each([
    ['light', 1280],
    ['dark', 360],
  ] as const)('has no accessibility finding in %s at %d px', async (colorScheme, width) => {
    const [page] = await open('checkout', 'v2.3.0', '', { width, colorScheme });
    await page.getByText('Read from GitHub:').first().waitFor();
    for (const tab of TABS) {
      await page.getByRole('navigation', { name: 'Parts of the release' }).getByRole('link', { name: tab }).click();
      await page.getByRole('heading', { level: 2, name: tab }).waitFor();
      await dashboard.expectSound(page);
    }
  });
}
