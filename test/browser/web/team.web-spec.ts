import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { DashboardUnderTest } from './dashboard-under-test.js';
import { waitForNotice } from './own-release.js';

interface Team {
  readonly members: readonly { readonly login: string; readonly role: string }[];
  readonly invites: readonly { readonly login: string | null }[];
}

/** A name that would be a picture with a script if it were used as markup. */
const HOSTILE_NAME = '<img src=x onerror=alert(1)>';
const TEAM = '/w/acme/settings/team';

/** The members of the workspace, and the invites. */
export function testTeam(dashboard: DashboardUnderTest): void {
  const roleOf = async (login: string): Promise<string | undefined> => {
    const { members } = await (await dashboard.signIn()).get<Team>('/api/team');
    return members.find((member) => member.login === login)?.role;
  };
  const row = (page: Page, login: string) => page.getByRole('row', { name: new RegExp(`^${login}\\b`) });

  it('lists the members, changes a role, and takes the change back', async () => {
    const page = await dashboard.openSignedIn(TEAM);
    const { members } = await (await dashboard.signIn()).get<Team>('/api/team');
    await page
      .getByRole('rowheader')
      .nth(members.length - 1)
      .waitFor();
    for (const { login, role } of members) {
      expect((await row(page, login).innerText()).toLowerCase()).toContain(role);
    }
    await page.getByRole('button', { name: 'Make member: release-manager' }).click();
    await row(page, 'release-manager').getByText('Member', { exact: true }).waitFor();
    expect(await roleOf('release-manager')).toBe('member');
    await page.keyboard.press('z');
    await row(page, 'release-manager').getByText('Admin', { exact: true }).waitFor();
    expect(await roleOf('release-manager')).toBe('admin');
    expect(dashboard.complaints).toEqual([]);
  });

  it('asks admins before they give up their own role, which they cannot undo', async () => {
    const page = await dashboard.openSignedIn(TEAM, { login: 'release-manager', width: 1280 });
    const demote = page.getByRole('button', { name: 'Make member: release-manager' });
    const dialog = page.getByRole('dialog', { name: 'Give up the role of an admin' });
    await demote.click();
    await dialog.getByText('You cannot undo this: another admin must make you an admin again.').waitFor();
    await dashboard.expectSound(page);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await roleOf('release-manager')).toBe('admin');
    await demote.click();
    await dialog.getByRole('button', { name: 'Give up the role of an admin' }).click();
    await waitForNotice(page, 'The role of release-manager is Member now.');
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    expect(await roleOf('release-manager')).toBe('member');
    const owner = await dashboard.openSignedIn(TEAM);
    await owner.getByRole('button', { name: 'Make admin: release-manager' }).click();
    await waitForNotice(owner, 'The role of release-manager is Admin now.');
    expect(dashboard.complaints).toEqual([]);
  });

  it('makes a member an auditor, who then finds the audit log, and takes it back', async () => {
    const page = await dashboard.openSignedIn(TEAM);
    // Wide enough that the navigation is open.
    const member = await dashboard.openSignedIn('/w/acme/releases', { login: 'developer', width: 1280 });
    const auditLog = member.getByRole('link', { name: 'Audit log' });
    await member.getByRole('link', { name: 'Team' }).waitFor();
    expect(await auditLog.count()).toBe(0);
    await page.getByRole('button', { name: 'Make auditor: developer' }).click();
    await row(page, 'developer').getByText('Auditor', { exact: true }).waitFor();
    await dashboard.expectSound(page);
    await auditLog.click();
    await member.getByText('developer became an auditor').waitFor();
    await member.getByText('Hash of the last entry', { exact: true }).waitFor();
    expect(await member.getByRole('link', { name: 'Diagnostics' }).count()).toBe(0);
    await dashboard.expectSound(member);
    await page.getByRole('button', { name: 'End auditor: developer' }).click();
    await page.getByRole('button', { name: 'Make auditor: developer' }).waitFor();
    await auditLog.waitFor({ state: 'detached' });
    expect(await roleOf('developer')).toBe('member');
  });

  it('says why the last admin can be neither removed nor made a member', async () => {
    const page = await dashboard.openSignedIn('/w/acme/releases', { width: 1280 });
    const team = await (await dashboard.signIn()).get<Team>('/api/team');
    const members = team.members.map((member) => ({
      ...member,
      role: member.login === 'acme-owner' ? 'admin' : 'member',
    }));
    await page.route('**/api/team', (route) => route.fulfill({ json: { ...team, members } }));
    await page.goto(dashboard.url + TEAM);
    const remove = page.getByRole('button', { name: 'Remove: acme-owner' });
    expect(await remove.getAttribute('aria-disabled')).toBe('true');
    expect(await page.getByRole('button', { name: 'Make member: acme-owner' }).getAttribute('aria-disabled')).toBe(
      'true',
    );
    await remove.click({ force: true });
    expect(await page.getByRole('dialog').count()).toBe(0);
    await row(page, 'acme-owner').getByText('The last admin. Make another member an admin first.').waitFor();
    await dashboard.expectSound(page);
  });

  it('shows the link of an invite once, through which a user joins and is removed again', async () => {
    const { environment } = dashboard;
    const mallory = environment.github.createUser({ login: 'mallory', name: HOSTILE_NAME });
    environment.organization.addMember(mallory);
    dashboard.expectRejections(409, 410, 422);
    const page = await dashboard.openSignedIn(TEAM, { width: 1280 });
    const opener = page.getByRole('button', { name: 'Invite', exact: true });
    await opener.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^GitHub login/).fill('no-user-has-this-login');
    await dialog.getByRole('button', { name: 'Create the link' }).click();
    await dialog.getByText('GitHub has no user no-user-has-this-login.').waitFor();
    await dashboard.expectSound(page);
    await dialog.getByLabel(/^GitHub login/).fill('mallory');
    await dialog.getByLabel('Auditor').check();
    await dialog.getByRole('button', { name: 'Create the link' }).click();
    await dialog.getByText('for @mallory only').waitFor();
    const link = await dialog.locator('code').innerText();
    const token = new URL(link).hash.slice(1);
    await page.keyboard.press('Escape');
    expect(await dialog.isVisible()).toBe(true);
    await dialog.getByRole('button', { name: 'I have it' }).click();
    await page.getByRole('rowheader', { name: 'mallory', exact: true }).waitFor();
    await dashboard.expectNowhere(page, token);

    const guest = await dashboard.open(link);
    await guest.reads('You are invited to Shipgate');
    expect(guest.page.url()).toBe(`${dashboard.url}/invite`);
    await dashboard.expectSound(guest.page);
    await guest.signInAs('mallory');
    await guest.page.getByText('You are signed in as mallory.').waitFor();
    await guest.page.getByText('You are invited to become a member of the workspace acme.').waitFor();
    await guest.page.getByText('You can read the audit log there, too.').waitFor();
    await guest.page.getByRole('button', { name: 'Accept the invite' }).click();
    await guest.reads('Welcome to acme');
    await dashboard.expectNowhere(guest.page, token);
    await guest.page.getByRole('link', { name: 'Go to the workspace' }).click();
    await guest.reads('Releases');
    await guest.page.goto(link);
    await guest.page.getByRole('alert').waitFor();
    expect(await guest.page.getByRole('alert').innerText()).toMatch(/a member of acme already|was accepted|used/);

    await page.reload();
    await row(page, 'mallory').getByText(HOSTILE_NAME).waitFor();
    await row(page, 'mallory').getByText('Auditor', { exact: true }).waitFor();
    await guest.page.goto(`${dashboard.url}/w/acme/releases`);
    await guest.page.getByText('Live', { exact: true }).waitFor();
    await guest.page.getByRole('table').waitFor();
    await page.getByRole('button', { name: 'Remove: mallory' }).click();
    await dialog.getByText('The personal keys of mallory').waitFor();
    await dialog.getByRole('button', { name: 'Remove mallory' }).click();
    await row(page, 'mallory').waitFor({ state: 'detached' });
    expect(await roleOf('mallory')).toBeUndefined();
    // The open tab of the removed member shows nothing of the workspace any more.
    await guest.page.getByText('You are no longer a member of acme.').waitFor();
    expect(await guest.page.getByRole('table').count()).toBe(0);
    await guest.page.getByRole('link', { name: 'Switch workspace' }).click();
    await guest.reads('Workspaces');
  });

  it('withdraws an invite for anyone, and leaves the focus where it was', async () => {
    const page = await dashboard.openSignedIn(TEAM, { width: 360, colorScheme: 'dark' });
    const opener = page.getByRole('button', { name: 'Invite', exact: true });
    await opener.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Cancel' }).press('Enter');
    expect(await opener.evaluate((button) => button.matches(':focus'))).toBe(true);
    await opener.click();
    await dialog.getByRole('button', { name: 'Create the link' }).click();
    await dialog.getByText('for anyone with the link').hover();
    await dashboard.expectSound(page);
    await dialog.getByRole('button', { name: 'I have it' }).click();
    await page.getByRole('button', { name: 'Withdraw the invite for anyone with the link' }).click();
    await dialog.getByRole('button', { name: 'Withdraw the invite' }).click();
    await page.getByRole('rowheader', { name: 'Anyone with the link' }).waitFor({ state: 'detached' });
    await dashboard.expectSound(page);
  });

  it('explains why an invite is rejected', async () => {
    dashboard.expectRejections(404);
    const guest = await dashboard.open('/invite');
    await guest.reads('There is no invite here');
    expect(await guest.page.getByRole('alert').innerText()).toContain('Open the complete link');
    // In the same tab the whole link changes only the fragment.
    await guest.page.goto(`${dashboard.url}/invite#sgi_not-a-token`);
    await guest.reads('You are invited to Shipgate');
    await guest.signInAs('developer');
    await guest.reads('This invite does not work');
    expect(await guest.page.getByRole('alert').innerText()).toContain('There is no such invite');
    await dashboard.expectNowhere(guest.page, 'sgi_not-a-token');
  });

  it('explains that an invite was withdrawn while its page was open', async () => {
    dashboard.expectRejections(410);
    const admin = await dashboard.signIn();
    const { url } = await admin.post<{ readonly url: string }>('/api/team/invites', { role: 'member' });
    const page = await dashboard.openSignedIn(TEAM);
    const guest = await dashboard.open(url);
    await guest.signInAs('second-developer');
    await guest.page.getByText('You are invited to become a member of the workspace acme.').waitFor();
    await page.getByRole('button', { name: 'Withdraw the invite for anyone with the link' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw the invite' }).click();
    await page.getByRole('rowheader', { name: 'Anyone with the link' }).waitFor({ state: 'detached' });
    await guest.page.getByRole('button', { name: 'Accept the invite' }).click();
    await guest.reads('This invite does not work');
    expect(await guest.page.getByRole('alert').innerText()).toContain('withdrawn');
  });

  it('lets a member read, and says why they cannot invite', async () => {
    const page = await dashboard.openSignedIn(TEAM, { login: 'developer' });
    await page.getByRole('rowheader', { name: /^developer/ }).waitFor();
    expect(await page.getByRole('button', { name: /^(?:Make|Remove|Withdraw)/ }).count()).toBe(0);
    const invite = page.getByRole('button', { name: 'Invite', exact: true });
    expect(await invite.getAttribute('aria-disabled')).toBe('true');
    await page.getByText('Only an admin of the workspace can do this.').waitFor();
    expect(await page.getByRole('link', { name: 'Audit log' }).count()).toBe(0);
    await dashboard.expectSound(page);
  });
}
