import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { BuiltService } from '../../contract/built-service.js';
import { DemoEnvironment } from '../../demo/demo-environment.js';
import { DemoUser } from '../../demo/demo-user.js';
import { createUsers } from '../../demo/demo-users.js';
import { Narrator } from '../../demo/narrator.js';
import { createOtherReleases } from '../../demo/other-releases.js';
import { ReleaseWalkthrough } from '../../demo/release-walkthrough.js';
import { CHROMIUM, launchChromium } from '../chromium.js';
import { Guest, type GuestOptions } from '../guest.js';
import { until, untilLoaded } from './own-release.js';

const PATIENCE_MS = 600_000;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** The browser reports each 401 on its console, also the expected one for a missing session. */
const SIGNED_OUT = 401;

const MODES = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 1280 },
  { colorScheme: 'dark', width: 360 },
  { colorScheme: 'light', width: 360 },
] as const;

const AXE_RUNS = 5;
const RELOADS = 20;
const RELOAD_MS = 1_000;
/** Finds the query client of the page. Returns its queries and mutations. */
const READ_CACHE = `(() => {
  const root = document.querySelector('#root');
  const start = root[Object.keys(root).find((name) => name.startsWith('__reactContainer'))].stateNode.current;
  for (let fiber = start; fiber; fiber = fiber.child ?? fiber.sibling) {
    const client = fiber.memoizedProps?.client;
    if (client?.getQueryCache) {
      const states = (cache) => cache.getAll().map(({ state }) => state);
      return JSON.stringify([states(client.getQueryCache()), states(client.getMutationCache())]);
    }
  }
  throw new Error('The page has no query client.');
})()`;

/**
 * Runs axe on a page that stands still, and returns its violations. A color that is still changing has another contrast, so
 * the run is repeated after every transition or animation that began meanwhile, as that of a tooltip. A spinner never ends, so it
 * does not count.
 */
const runAxe = (options: string): string => `(async () => {
  const animations = () =>
    document.getAnimations().filter((one) => one.effect.getComputedTiming().endTime < Infinity && one.playState === 'running');
  let starts = 0;
  const count = () => {
    starts += 1;
  };
  const events = ['transitionrun', 'animationstart'];
  for (const event of events) document.addEventListener(event, count, true);
  try {
    for (let runs = 1; runs <= ${AXE_RUNS}; runs += 1) {
      await Promise.allSettled(animations().map((one) => one.finished));
      starts = 0;
      const { violations } = await axe.run(document, ${options});
      if (violations.length === 0 || (starts === 0 && animations().length === 0) || runs === ${AXE_RUNS}) return violations;
    }
  } finally {
    for (const event of events) document.removeEventListener(event, count, true);
  }
})()`;

interface OpenOptions extends GuestOptions {
  /** The account on GitHub. The owner of the organization is an admin of the workspace. */
  readonly login?: string;
}

/**
 * The built service with the data of the demo, in Chromium. All browser tests share it, so a test changes only objects
 * that it creates.
 */
export class DashboardUnderTest {
  private folder = '';
  private current: DemoEnvironment | undefined;
  private browser: Browser | undefined;
  private readonly guests: Guest[] = [];
  private readonly rejections = new Set([SIGNED_OUT]);

  /** Starts and stops it with the tests of the present `describe`. */
  static forTests(): DashboardUnderTest {
    const dashboard = new DashboardUnderTest();
    beforeAll(() => dashboard.start(), PATIENCE_MS);
    afterEach(() => dashboard.closePages());
    afterAll(() => dashboard.stop(), PATIENCE_MS);
    return dashboard;
  }

  /** GitHub, CI and the service. */
  get environment(): DemoEnvironment {
    if (!this.current) throw new Error('The service is not started.');
    return this.current;
  }

  get url(): string {
    return this.environment.baseUrl;
  }

  /** A client of the API with a session of this user in the workspace "acme". */
  async signIn(login = this.environment.accounts.owner.login): Promise<DemoUser> {
    const user = await DemoUser.signIn(this.url, login);
    await user.post('/api/auth/workspace', { org: 'acme' });
    return user;
  }

  /** Opens a URL without a session. */
  async open(address: string, options?: GuestOptions): Promise<Guest> {
    if (!this.browser) throw new Error('The browser is not started.');
    const guest = await Guest.arrive(this.browser, options);
    this.guests.push(guest);
    await guest.page.goto(new URL(address, this.url).href);
    return guest;
  }

  /** Opens a URL through the sign-in. */
  async openSignedIn(address: string, { login, ...options }: OpenOptions = {}): Promise<Page> {
    const guest = await this.open(address, options);
    await guest.reads('Sign in');
    await guest.signInAs(login ?? this.environment.accounts.owner.login);
    await guest.page.getByRole('navigation', { name: 'Main navigation' }).waitFor();
    return guest.page;
  }

  /** Errors and warnings of the console and of the security policy on all pages of this test. */
  get complaints(): readonly string[] {
    const expected = new RegExp(`status of (?:${[...this.rejections].join('|')})`);
    return this.guests.flatMap((guest) => guest.complaints.filter((complaint) => !expected.test(complaint)));
  }

  /** Declares that this test causes responses with these statuses, which the browser reports on its console. */
  expectRejections(...statuses: readonly number[]): void {
    for (const status of statuses) this.rejections.add(status);
  }

  /**
   * Expects no finding of axe, no horizontal scrolling, and nothing on the console. The entries of an open menu are outside of the
   * landmarks.
   */
  async expectSound(page: Page, { hasMenu = false } = {}): Promise<void> {
    await page.evaluate(AXE);
    const violations = await page.evaluate<readonly { id: string; nodes: readonly { html: string }[] }[]>(
      runAxe(`{
        runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
        rules: { region: { enabled: ${!hasMenu} }, "target-size": { enabled: true } },
      }`),
    );
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    const [scrolled, width] = await page.evaluate<[number, number]>(
      '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
    );
    expect(scrolled).toBeLessThanOrEqual(width);
    expect(this.complaints).toEqual([]);
  }

  /** Expects that a link has led to this part of the page: it is in view, and the focus is there. */
  async expectLanded(page: Page, part: Locator): Promise<void> {
    await part.waitFor();
    await until('the part is in view and has the focus', () =>
      part.evaluate((element) => {
        const { activeElement, defaultView } = element.ownerDocument;
        const { top } = element.getBoundingClientRect();
        // At the end of a page nothing more can scroll. A place can be a part of a pixel.
        return element === activeElement && top > -1 && top < (defaultView?.innerHeight ?? 0) * 0.75;
      }),
    );
  }

  /** Expects the same in light and dark, and in a narrow window. */
  async expectSoundInAllModes(page: Page): Promise<void> {
    for (const { colorScheme, width } of MODES) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await this.expectSound(page);
    }
  }

  /** Expects that a secret is neither on the page nor in its URL, its storage, its cache or its console. */
  async expectNowhere(page: Page, secret: string): Promise<void> {
    const places: Readonly<Record<string, string>> = {
      page: await page.content(),
      fields: JSON.stringify(
        await page.locator('input, textarea').evaluateAll((all) => all.map((field) => field.value)),
      ),
      address: page.url(),
      storage: await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])'),
      cache: await page.evaluate(READ_CACHE),
      console: this.complaints.join('\n'),
    };
    for (const [place, text] of Object.entries(places)) expect([place, text.includes(secret)]).toEqual([place, false]);
  }

  /** Reloads the page until this part of it is visible, because a change on GitHub takes effect a little later. */
  async reloadUntil(page: Page, part: Locator): Promise<void> {
    for (let attempt = 0; attempt < RELOADS && !(await part.isVisible()); attempt += 1) {
      await page.waitForTimeout(RELOAD_MS);
      await page.reload();
      await untilLoaded(page);
      await part.waitFor({ timeout: RELOAD_MS }).catch(() => undefined);
    }
    await part.waitFor();
  }

  private async start(): Promise<void> {
    BuiltService.build();
    this.folder = mkdtempSync(path.join(tmpdir(), 'shipgate-dashboard-'));
    this.current = await DemoEnvironment.start(process.cwd(), this.folder, {
      port: 0,
      variables: { RATE_LIMITS: 'off' },
    });
    this.browser = await launchChromium();
    const ciSettings = {
      serviceUrl: this.current.service.url,
      issuer: this.current.issuer,
      reports: path.join(process.cwd(), 'test/demo/reports'),
    };
    const silent = new Narrator(true);
    const walk = new ReleaseWalkthrough(this.current, ciSettings, silent);
    await walk.untilKnown(this.current.repositories.payments, 'v1.4.0');
    await createOtherReleases(this.current, ciSettings, walk, silent);
    expect(await walk.play()).toBe(0);
    await createUsers(this.current);
  }

  private async closePages(): Promise<void> {
    for (const guest of this.guests.splice(0)) await guest.leave();
    this.rejections.clear();
    this.rejections.add(SIGNED_OUT);
  }

  private async stop(): Promise<void> {
    await this.browser?.close();
    await this.current?.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Declares the tests of these screens, in this order. Without a Chromium they are skipped, and the title says so. */
export function describeDashboard(tests: Readonly<Record<string, (dashboard: DashboardUnderTest) => void>>): void {
  const inBrowser = CHROMIUM === null ? describe.skip : describe;
  const title = CHROMIUM === null ? 'the dashboard (skipped: no Chromium; name one in CHROMIUM)' : 'the dashboard';
  inBrowser(title, () => {
    const dashboard = DashboardUnderTest.forTests();
    describe.each(Object.entries(tests))('%s', (_, test) => {
      test(dashboard);
    });
  });
}
