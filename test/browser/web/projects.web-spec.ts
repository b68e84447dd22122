import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { DashboardUnderTest } from './dashboard-under-test.js';

const HOSTILE = '<img src=x onerror=alert(1)>';

interface Project {
  readonly id: string;
  readonly description: string | null;
  readonly targetDate: string | null;
  readonly repos: readonly { readonly repo: string; readonly release: { readonly version: string } | null }[];
}

/** The projects. */
export function testProjects(dashboard: DashboardUnderTest): void {
  const find = async (name: string): Promise<Project | undefined> => {
    const user = await dashboard.signIn();
    const { projects } = await user.get<{ readonly projects: readonly (Project & { readonly name: string })[] }>(
      '/api/projects?page=1',
    );
    return projects.find((project) => project.name === name);
  };

  it('creates a project, adds a repository, chooses its release, and takes changes back', async () => {
    const page = await dashboard.openSignedIn('/w/acme/projects', { width: 1280, login: 'release-manager' });
    await page.getByText('There is no project yet.').waitFor();
    await dashboard.expectSound(page);
    await create(page, HOSTILE);
    await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor();
    await page.getByText('The project has no repository that you can read.').waitFor();

    await page.getByRole('button', { name: 'Add a repository' }).click();
    await page.getByRole('radio', { name: 'catalog' }).check();
    await dashboard.expectSound(page);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const row = page.getByRole('row', { name: 'catalog' });
    await row.getByText('No release is chosen.').waitFor();

    await row.getByRole('button', { name: 'Choose a release of catalog' }).click();
    await page.getByRole('searchbox', { name: 'Search by version' }).fill('0.9');
    await page.getByRole('radio', { name: 'v0.8.4' }).waitFor({ state: 'detached' });
    await page.getByRole('radio', { name: 'v0.9.0' }).check();
    await page.getByRole('button', { name: 'Choose', exact: true }).click();
    await row.getByRole('link', { name: 'v0.9.0' }).waitFor();
    await page.getByRole('img', { name: '1 active release' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await row.getByText('No release is chosen.').waitFor();

    await row.getByRole('button', { name: 'Remove catalog' }).click();
    await page.getByText('The project has no repository that you can read.').waitFor();
    await page.locator('h2:focus', { hasText: 'Repositories that you can read' }).waitFor();
    expect((await find(HOSTILE))?.repos).toEqual([]);
    await page.keyboard.press('z');
    await row.waitFor();
    expect((await find(HOSTILE))?.repos).toMatchObject([{ repo: 'catalog', release: null }]);
    await remove(page, HOSTILE, 'its links to 1 repository');
    expect(await find(HOSTILE)).toBeUndefined();
  });

  it('keeps the input of a name that another project has, changes details, and finds projects', async () => {
    const page = await dashboard.openSignedIn('/w/acme/projects', { width: 360, colorScheme: 'dark' });
    await create(page, 'Checkout 2');
    await page.getByRole('heading', { level: 1, name: 'Checkout 2' }).waitFor();
    await page.getByRole('link', { name: 'All projects' }).click();
    await page.getByRole('row', { name: 'Checkout 2' }).waitFor();
    await dashboard.expectSound(page);
    await page.getByRole('button', { name: 'Create a project' }).click();
    await dashboard.expectSound(page);
    await page.getByRole('button', { name: 'Cancel' }).click();

    await create(page, 'checkout 2');
    const name = page.getByLabel('Name', { exact: true });
    await page.getByRole('alert').waitFor();
    expect([await name.inputValue(), await name.getAttribute('aria-invalid')]).toEqual(['checkout 2', 'true']);
    await page.getByRole('button', { name: 'Cancel' }).click();

    await page.getByRole('searchbox').fill('nothing-has-this-name');
    await page.getByText('No project matches this search.').waitFor();
    await page.getByRole('link', { name: 'Clear the filters' }).click();
    await page.getByRole('link', { name: 'Checkout 2' }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Description').fill('The new checkout.');
    await page.getByLabel('Target date').fill('2026-12-30');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Dec 30, 2026').waitFor();
    expect(await find('Checkout 2')).toMatchObject({ description: 'The new checkout.', targetDate: '2026-12-30' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('No target date').waitFor();
    expect(await find('Checkout 2')).toMatchObject({ description: null, targetDate: null });
    await remove(page, 'Checkout 2', 'its links to 0 repositories');
  });

  it('preserves the changes of another user while the dialog is open', async () => {
    const owner = await dashboard.signIn();
    const page = await dashboard.openSignedIn('/w/acme/projects', { login: 'release-manager' });
    await create(page, 'Search');
    await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    const id = (await find('Search'))?.id ?? '';
    await owner.patch(`/api/projects/${id}`, { description: 'Find it faster.' });
    await page.getByText('Find it faster.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Search 2');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Search 2' }).waitFor();
    expect(await find('Search 2')).toMatchObject({ description: 'Find it faster.' });

    await page.route('**/api/projects/*', (route) => route.fulfill({ status: 400, json: { error: 'A sentence.' } }));
    await page.keyboard.press('r');
    await page.getByText('This could not be refreshed.').waitFor();
    await page.locator('[inert] dt', { hasText: 'Target date' }).waitFor();
    await page.unroute('**/api/projects/*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('[inert]').waitFor({ state: 'detached' });
    await remove(page, 'Search 2', 'its links to 0 repositories');
  });

  it('shows the sentence of the service for a project that does not exist', async () => {
    const page = await dashboard.openSignedIn('/w/acme/projects/00000000-0000-4000-8000-000000000000');
    const alert = page.getByRole('alert');
    await alert.getByText('The project could not be loaded.').waitFor();
    expect(await alert.locator('[lang="en"]').innerText()).not.toBe('');
  });
}

async function create(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Create a project' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill(name);
  await dialog.getByRole('button', { name: 'Create a project' }).click();
}

/** Deletes the open project, and waits for the list without it. */
async function remove(page: Page, name: string, effect: string): Promise<void> {
  await page.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.innerText()).toContain(effect);
  await dialog.getByRole('button', { name: 'Delete the project' }).click();
  await page.waitForURL('**/w/acme/projects');
  await page.getByText(`The project "${name}" is deleted.`).first().waitFor();
}
