import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Repository } from '../../github-sim/state/repository.js';
import type { DashboardUnderTest } from './dashboard-under-test.js';
import { until } from './own-release.js';

interface RepositoryList {
  readonly groups: readonly { readonly repos: readonly { readonly id: string; readonly name: string }[] }[];
}

const LIST = '/w/acme/repositories';
const ENFORCE = '.github/workflows/shipgate-enforce.yml';
const TOKEN = 'github_pat_0123456789';

/** The repositories, their set-up, and new releases. */
export function testRepositories(dashboard: DashboardUnderTest): void {
  const list = async (): Promise<readonly { readonly id: string; readonly name: string }[]> => {
    const owner = await dashboard.signIn();
    const { groups } = await owner.get<RepositoryList>('/api/repos?page=1&pageSize=50');
    return groups.flatMap(({ repos }) => repos);
  };
  const addressOf = async (name: string): Promise<string> => {
    const found = (await list()).find((repository) => repository.name === name);
    if (!found) throw new Error(`There is no repository ${name}.`);
    return `${LIST}/${found.id}`;
  };
  const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
  const press = (page: Page, name: string) =>
    page.getByRole('dialog').getByRole('button', { name, exact: true }).click();

  it('lists the repositories of the service, with search and state in the URL', async () => {
    const page = await dashboard.openSignedIn(LIST, { width: 1280 });
    const names = (await list()).map(({ name }) => name);
    await page
      .getByRole('rowheader')
      .nth(names.length - 1)
      .waitFor();
    for (const name of names) await page.getByRole('link', { name, exact: true }).waitFor();
    await page.getByLabel('Set-up').selectOption('LEGACY');
    await page.waitForURL('**/repositories?state=LEGACY');
    await page.getByRole('searchbox').fill('pay');
    await page.waitForURL(/q=pay/);
    await page.getByRole('rowheader').nth(1).waitFor({ state: 'detached' });
    expect(await page.getByRole('rowheader').allInnerTexts()).toEqual([expect.stringContaining('payments')]);
    await page.getByRole('searchbox').fill('nothing-has-this-name');
    await page.getByText('No repository matches these filters.').waitFor();
    await dashboard.expectSound(page);
    await page.getByRole('link', { name: 'Clear the filters' }).click();
    await page.getByRole('link', { name: 'payments', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'payments' }).waitFor();
    await page.getByRole('rowheader', { name: 'v1.4.0' }).waitFor();
    await section(page, 'Releases').getByText('Shipped', { exact: true }).waitFor();
    expect(await page.title()).toBe('payments · Repositories · Shipgate');
    await dashboard.expectSound(page);
  });

  it('requests a token only if one is needed, and clears it after each response', async () => {
    const page = await dashboard.openSignedIn(await addressOf('checkout'), { width: 360, colorScheme: 'dark' });
    await section(page, 'Set-up').getByRole('button', { name: 'Set up' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('.github/SHIPGATE.md').waitFor();
    expect(await dialog.getByLabel('Personal access token').count()).toBe(0);
    dashboard.expectRejections(422);
    const sent: unknown[] = [];
    await page.route('**/bootstrap', async (route) => {
      sent.push(route.request().postDataJSON());
      const [code, error] =
        sent.length === 1 ? ['pat_required', 'PAT_REQUIRED: Send a token.'] : ['pat_rejected', 'GitHub rejects it.'];
      await route.fulfill({ status: 422, json: { error }, headers: { 'x-error-code': code } });
    });
    await press(page, 'Open the pull request');
    await dialog.getByText('PAT_REQUIRED: Send a token.').waitFor();
    const field = dialog.getByLabel('Personal access token');
    expect([await field.getAttribute('type'), await field.getAttribute('autocomplete')]).toEqual(['password', 'off']);
    await field.fill(TOKEN);
    await field.hover();
    await dashboard.expectSound(page);
    await press(page, 'Open the pull request');
    await dialog.getByText('GitHub rejects it.').waitFor();
    expect(sent).toEqual([{}, { pat: TOKEN }]);
    expect(await field.inputValue()).toBe('');
    await dashboard.expectNowhere(page, TOKEN);
  });

  it('shows the branch that blocks an update, and the revisions of a possible one', async () => {
    const address = await addressOf('checkout');
    const page = await dashboard.openSignedIn('/w/acme/releases');
    const workflow = {
      status: 'UPDATE_AVAILABLE',
      installedRevision: '91c07e5a2b6d4f38',
      targetRevision: '4be2c1d09f37a865',
      prNumber: null,
      prUrl: null,
    };
    await page.route(/\/api\/repos\/[\w-]+$/, async (route) => {
      const repository = (await (await route.fetch()).json()) as object;
      await route.fulfill({ json: { ...repository, setupState: 'COMPLETE', workflow } });
    });
    const update = { ...workflow, branch: 'shipgate/update', managedFiles: [ENFORCE] };
    await page.route('**/workflow-update-status', (route) =>
      route.fulfill({ json: { ...update, status: 'CONFLICT' } }),
    );
    await page.goto(dashboard.url + address);
    await section(page, 'Workflow files').getByRole('button', { name: 'Update the workflow files' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('shipgate/update').waitFor();
    expect(await dialog.getByRole('button', { name: 'Open the pull request' }).isDisabled()).toBe(true);
    await dashboard.expectSound(page);
    await press(page, 'Cancel');
    await page.unroute('**/workflow-update-status');
    await page.route('**/workflow-update-status', (route) =>
      route.fulfill({ json: { ...update, branch: null, status: 'UPDATE_AVAILABLE' } }),
    );
    await page.route('**/workflow-update-pr', (route) =>
      route.fulfill({ status: 409, json: { error: 'CONFLICT: The branch shipgate/update has changes.' } }),
    );
    await section(page, 'Workflow files').getByRole('button', { name: 'Update the workflow files' }).click();
    await dialog.getByText('91c07e5').waitFor();
    await dialog.getByText('4be2c1d').waitFor();
    await press(page, 'Open the pull request');
    await dialog.getByText('CONFLICT: The branch shipgate/update has changes.').waitFor();
  });

  it('lets a member read and sync, and says why they cannot set up', async () => {
    const page = await dashboard.openSignedIn(await addressOf('catalog'), { login: 'developer', width: 360 });
    const button = section(page, 'Set-up').getByRole('button', { name: 'Set up' });
    await button.waitFor();
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await section(page, 'Set-up').getByText('Only an admin of the workspace can do this.').waitFor();
    await page.getByRole('button', { name: 'Sync' }).click();
    await page.getByText('The sync of catalog has started.').first().waitFor();
    await dashboard.expectSound(page);
  });

  describe('a further repository', () => {
    let ledger: Repository;
    const openLedger = async (): Promise<Page> => dashboard.openSignedIn(await addressOf('ledger'), { width: 1280 });

    beforeAll(async () => {
      const { github, organization, accounts } = dashboard.environment;
      const files = { 'README.md': '# ledger\n' };
      ledger = github.createRepository(organization, { name: 'ledger', private: true, files });
      for (const user of [accounts.developer, accounts.releaseManager]) ledger.setCollaborator(user, 'write');
      await until('ledger is known', async () => (await list()).some(({ name }) => name === 'ledger'));
    });

    afterAll(async () => {
      const owner = await dashboard.signIn();
      const { plan } = await owner.get<{ readonly plan: string }>('/api/billing');
      // Other tests need the limit of the free plan.
      if (plan !== 'free')
        await owner.post('/api/platform/workspaces/acme/downgrade', { reason: 'The tests are over.' });
    });

    it('is set up after an upgrade of the plan, and its branches are protected', async () => {
      dashboard.expectRejections(402, 422);
      const page = await dashboard.openSignedIn(LIST, { width: 1280 });
      await page.getByRole('link', { name: 'ledger', exact: true }).click();
      const setup = section(page, 'Set-up');
      await setup.getByRole('button', { name: 'Set up' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('3 of 3 managed repositories are in use.').waitFor();
      await press(page, 'Open the pull request');
      await dialog.getByText("The plan's limit of managed repositories is reached.").waitFor();
      await dashboard.expectSound(page);
      await dialog.getByRole('link', { name: 'See the plan and ask for more places' }).click();
      await page.getByRole('button', { name: 'Request the pro plan' }).click();
      await press(page, 'Request the pro plan');
      await page.getByText('Open', { exact: true }).waitFor();
      await page.goto(`${dashboard.url}/platform/upgrade-requests?status=open`);
      await page.getByRole('button', { name: 'Approve acme' }).click();
      await dialog.getByLabel('Payment reference').fill('INV-1');
      await press(page, 'Approve the pro plan of acme');
      await page.getByText('No upgrade request has this status.').waitFor();

      await page.goto(dashboard.url + (await addressOf('ledger')));
      await setup.getByRole('button', { name: 'Set up' }).click();
      await press(page, 'Open the pull request');
      await setup.getByRole('link', { name: /^#\d+/ }).waitFor();
      await setup.getByText('Pull request open').waitFor();
      await setup.getByRole('listitem').filter({ hasText: 'Merge it on GitHub now' }).waitFor();
      const pull = ledger.pulls.list().find(({ headRef }) => headRef === 'shipgate/bootstrap');
      if (!pull) throw new Error('There is no pull request of the set-up.');
      ledger.pulls.merge(pull);
      await dashboard.reloadUntil(page, setup.getByText('Each milestone whose title is a version is a release'));
      await dashboard.reloadUntil(page, section(page, 'Branches').getByText('Protected', { exact: true }));
    });

    it('is marked while a workflow file is not the published one', async () => {
      const page = await openLedger();
      const published = contentOf(ledger, ENFORCE);
      ledger.commit({ files: { [ENFORCE]: 'on: never\n' } });
      const integrity = section(page, 'Integrity');
      await dashboard.reloadUntil(page, integrity.getByRole('link', { name: 'Open on GitHub' }));
      await integrity.getByText('Changed', { exact: true }).waitFor();
      await integrity.getByRole('row', { name: `${ENFORCE} main` }).waitFor();
      await page.getByRole('list', { name: 'Warnings' }).getByRole('listitem').first().waitFor();
      await dashboard.expectSound(page);
      await page.goto(`${dashboard.url}${LIST}?attention=true`);
      await page
        .getByRole('row', { name: /^ledger/ })
        .getByText('Changed', { exact: true })
        .waitFor();
      await page.getByRole('link', { name: 'ledger', exact: true }).click();
      await integrity.getByText('Changed', { exact: true }).waitFor();
      ledger.commit({ files: { [ENFORCE]: published } });
      await dashboard.reloadUntil(page, integrity.getByText('Unchanged'));
    });

    it('is protected again after its rulesets were deleted', async () => {
      const page = await openLedger();
      for (const ruleset of ledger.rulesets.list()) ledger.rulesets.delete(ruleset);
      const branches = section(page, 'Branches');
      await dashboard.reloadUntil(page, branches.getByText('Weaker than required'));
      await branches.getByRole('button', { name: 'Protect the branches' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Shipgate: release branches').waitFor();
      await press(page, 'Protect the branches');
      await dialog.waitFor({ state: 'detached' });
      await dashboard.reloadUntil(page, branches.getByText('Protected', { exact: true }));
    });

    it('gets its first release, and stays set up when a platform admin ends the plan', async () => {
      dashboard.expectRejections(422);
      const page = await openLedger();
      await page.getByRole('button', { name: 'New release' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(/^Version/).fill('not a version');
      await press(page, 'Create the release');
      await dialog.getByRole('alert').waitFor();
      await dialog.getByLabel(/^Version/).fill('v1.0.0');
      await dialog.getByLabel(/^Due date/).fill('2030-05-06');
      await press(page, 'Create the release');
      await page.getByRole('rowheader', { name: 'v1.0.0' }).waitFor();
      expect(ledger.milestones.list().map(({ title }) => title)).toEqual(['v1.0.0']);

      await page.goto(`${dashboard.url}/platform/upgrade-requests`);
      await page.getByRole('button', { name: 'Downgrade acme' }).click();
      await dialog.getByLabel('Reason').fill('The contract ended.');
      await press(page, 'Downgrade acme to the free plan');
      await page.getByText('acme has the free plan.').first().waitFor();
      expect(dashboard.complaints).toEqual([]);
    });
  });

  it('creates a release from the list of releases', async () => {
    const page = await dashboard.openSignedIn('/w/acme/releases', { width: 360, colorScheme: 'dark' });
    const opener = page.getByRole('button', { name: 'New release' });
    await opener.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Repository').selectOption({ label: 'ledger' });
    await dialog.getByLabel(/^Version/).fill('v1.1.0');
    await dialog.getByLabel(/^Description/).fill('Pay by card.');
    await dashboard.expectSound(page);
    await press(page, 'Create the release');
    await page.getByText('The release v1.1.0 of ledger was created.').first().waitFor();
    await page.getByRole('rowheader', { name: /^ledger v1\.1\.0/ }).waitFor();
    expect(await opener.evaluate((button) => button.matches(':focus'))).toBe(true);
    await page.getByRole('region', { name: 'Notice' }).getByRole('link', { name: 'Open the release' }).click();
    await page.getByRole('heading', { level: 1, name: 'ledger v1.1.0' }).waitFor();
    expect(dashboard.complaints).toEqual([]);
  });
}

/** The text of a file at the head of the default branch. */
function contentOf({ git, defaultBranch }: Repository, path: string): string {
  const head = git.branchHead(defaultBranch);
  const file = head === null ? undefined : git.filesAt(head).get(path);
  if (!file) throw new Error(`There is no ${path}.`);
  return git.store.blob(file.sha).toString('utf8');
}
