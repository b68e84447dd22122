import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { User } from '../github-sim/state/user.js';
import { Browser } from '../support/browser.js';
import { givenLongWindows } from '../support/given-long-windows.js';
import { TestEnvironment } from '../support/world.js';

let world: TestEnvironment;

beforeEach(async () => {
  world = await TestEnvironment.start({ RATE_LIMITS: 'on' });
  await givenLongWindows(world.databaseUrls);
});
afterEach(() => world.stop());

/** A browser in which the person has signed in. */
async function browserOf({ login }: User): Promise<Browser> {
  const browser = new Browser(world);
  const begun = await browser.goTo('/api/auth/login');
  await browser.goTo((await browser.goTo(`${begun.location}&login=${login}`)).location);
  return browser;
}

/** The statuses of made-up ids, of which all are sent at once, and how often the host was asked for one of them. */
async function makeUp(browser: Browser, times: number) {
  const asked = (): number => world.exchanges.filter(({ path }) => /^\/app\/installations\/\d+$/.test(path)).length;
  const before = asked();
  const answers = await Promise.all(
    Array.from({ length: times }, (_, at) =>
      browser.goTo(`/api/config/install/callback?installation_id=${987_654_000 + at}&setup_action=install`),
    ),
  );
  return {
    statuses: answers.map(({ status }) => status).toSorted((one, other) => one - other),
    answers,
    asked: asked() - before,
  };
}

describe('made-up ids of installations', () => {
  it('cost the budget of the app nothing where the person owns no organization', async () => {
    const bob = world.github.createUser({ login: 'bob' });
    world.organization.addMember(bob, 'member');
    const { statuses, answers, asked } = await makeUp(await browserOf(bob), 8);
    expect([statuses, asked]).toEqual([Array.from({ length: 8 }, () => 403), 0]);
    expect(answers[0]?.body).toEqual({ error: expect.stringContaining('You own no organization') });
  });

  it('cost it a few calls a minute where the person owns one, also all at once', async () => {
    const olga = world.github.createUser({ login: 'olga' });
    world.organization.addMember(olga, 'admin');
    const browser = await browserOf(olga);
    const { statuses, asked } = await makeUp(browser, 12);
    expect([statuses, asked]).toEqual([
      [...Array.from({ length: 6 }, () => 404), ...Array.from({ length: 6 }, () => 429)],
      6,
    ]);
  });
});
