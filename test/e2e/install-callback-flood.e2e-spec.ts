import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { User } from '../github-sim/state/user.js';
import { Browser } from '../support/browser.js';
import { givenLongWindows } from '../support/given-long-windows.js';
import { TestEnvironment } from '../support/test-environment.js';

let env: TestEnvironment;

beforeEach(async () => {
  env = await TestEnvironment.start({ RATE_LIMITS: 'on' });
  await givenLongWindows(env.databaseUrls);
});
afterEach(() => env.stop());

/** A browser in which the user has signed in. */
async function browserOf({ login }: User): Promise<Browser> {
  const browser = new Browser(env);
  const begun = await browser.goTo('/api/auth/login');
  await browser.goTo((await browser.goTo(`${begun.location}&login=${login}`)).location);
  return browser;
}

/** The statuses for invalid ids that are sent at once, and the number of calls to GitHub for them. */
async function makeUp(browser: Browser, times: number) {
  const requested = (): number => env.exchanges.filter(({ path }) => /^\/app\/installations\/\d+$/.test(path)).length;
  const before = requested();
  const answers = await Promise.all(
    Array.from({ length: times }, (_, at) =>
      browser.goTo(`/api/config/install/callback?installation_id=${987_654_000 + at}&setup_action=install`),
    ),
  );
  return {
    statuses: answers.map(({ status }) => status).toSorted((one, other) => one - other),
    answers,
    asked: requested() - before,
  };
}

describe('invalid installation ids', () => {
  it("use none of the app's rate limit if the user owns no organization", async () => {
    const bob = env.github.createUser({ login: 'bob' });
    env.organization.addMember(bob, 'member');
    const { statuses, answers, asked: callsBefore } = await makeUp(await browserOf(bob), 8);
    expect([statuses, callsBefore]).toEqual([Array.from({ length: 8 }, () => 403), 0]);
    expect(answers[0]?.body).toEqual({ error: expect.stringContaining('You own no organization') });
  });

  it('use a few calls a minute if the user owns one, also all at once', async () => {
    const olga = env.github.createUser({ login: 'olga' });
    env.organization.addMember(olga, 'admin');
    const browser = await browserOf(olga);
    const { statuses, asked: callsBefore } = await makeUp(browser, 12);
    expect([statuses, callsBefore]).toEqual([
      [...Array.from({ length: 6 }, () => 404), ...Array.from({ length: 6 }, () => 429)],
      6,
    ]);
  });
});
