import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { reportDocument } from '../../src/features/quality/export/html/html-report.js';
import { REPORT_SECURITY_POLICY } from '../../src/features/quality/export/html/report-style.js';
import { collect } from '../support/collect.js';
import { givenGroup, givenResult, streamOf } from '../support/given-release-group.js';
import { CHROMIUM, launchChromium } from './chromium.js';

const PATIENCE_MS = 60_000;
const HOSTILE = '</bdi></td><img src=/stolen onerror=alert(1)><script>alert(2)</script><style>*{display:none}</style>';
const GROUPS = Array.from({ length: 12 }, (_, month) =>
  givenGroup({
    milestoneId: `00000000-0000-4000-8000-0000000000${String(month + 10)}`,
    repo: month % 3 === 0 ? HOSTILE : 'payments',
    version: `v1.${month}.0`,
    results: [
      givenResult({ createdAt: new Date(Date.UTC(2026, month, 1)), pipeline: month === 1 ? 'x'.repeat(500) : HOSTILE }),
    ],
  }),
);
/** The minimum contrast of text, WCAG 2.2, 1.4.3. */
const LEAST_CONTRAST = 4.5;

/** Every text of the page with its contrast to its background, the lowest first. */
const CONTRASTS = `(() => {
  const rgb = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const light = (colour) => {
    const [r, g, b] = rgb(colour).map((part) => part / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = light(getComputedStyle(document.documentElement).backgroundColor);
  return [...document.querySelectorAll('body *')]
    .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '' && element.getClientRects().length > 0))
    .map((element) => light(element instanceof SVGElement ? getComputedStyle(element).fill : getComputedStyle(element).color))
    .map((text) => (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05))
    .toSorted((one, other) => one - other);
})()`;

const inBrowser = CHROMIUM === null ? describe.skip : describe;
const title =
  CHROMIUM === null ? 'a report in a browser (skipped: no Chromium; name one in CHROMIUM)' : 'a report in a browser';

inBrowser(title, () => {
  let browser: Browser;
  let server: Server;
  let address: string;
  const requested: (string | undefined)[] = [];

  beforeAll(async () => {
    const subject = { org: 'acme', reader: 'ada', createdAt: new Date('2026-11-21T18:05:00Z'), filters: [] };
    const report = (await collect(reportDocument(subject, streamOf(...GROUPS)))).join('');
    server = createServer((request, response) => {
      requested.push(request.url);
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      // Without headers, as for a file that is opened: only the report itself states its type and its policy.
      response.end(report);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/report`;
    browser = await launchChromium();
  }, PATIENCE_MS);
  afterAll(async () => {
    await browser.close();
    server.close();
  });

  describe.each(['light', 'dark'] as const)('that is %s', (colorScheme) => {
    it('shows all its content, runs no script and loads nothing', async () => {
      requested.length = 0;
      const context = await browser.newContext({ colorScheme, viewport: { width: 1280, height: 900 } });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => complaints.push(message.text()));
      page.on('dialog', (dialog) => {
        complaints.push('a dialog');
        void dialog.dismiss();
      });
      await page.goto(address);
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Release quality of acme');
      expect(await page.getByRole('img').count()).toBe(3);
      expect(await page.getByRole('img', { name: 'Releases by grade' }).isVisible()).toBe(true);
      expect(await page.locator('article').count()).toBe(GROUPS.length);
      expect(await page.locator('article').first().innerText()).toContain(HOSTILE);
      const [worst] = await page.evaluate<readonly number[]>(CONTRASTS);
      expect(worst).toBeGreaterThanOrEqual(LEAST_CONTRAST);
      expect(complaints).toEqual([]);
      expect(requested.filter((path) => path !== '/favicon.ico')).toEqual(['/report']);
      await context.close();
    });
  });

  it.each([320, 1280])('needs no horizontal scrolling at a width of %d', async (width) => {
    const context = await browser.newContext({ viewport: { width, height: 800 } });
    const page = await context.newPage();
    await page.goto(address);
    expect(
      await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    ).toBeLessThanOrEqual(0);
    await context.close();
  });

  it('is limited by its policy in the browser', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(address);
    const tried = await page.evaluate<string>(
      `new Promise((resolve) => {
        document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => resolve(effectiveDirective));
        const picture = new Image();
        picture.src = '/stolen';
        document.body.append(picture);
      })`,
    );
    expect([tried, REPORT_SECURITY_POLICY.startsWith("default-src 'none'")]).toEqual(['img-src', true]);
    await context.close();
  });
});
