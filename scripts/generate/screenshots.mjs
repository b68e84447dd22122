// Writes the pictures of the dashboard in docs/images/ from a running `npm run demo`, with Chromium (`CHROMIUM` names it).
// The first argument is the address of the demo, by default http://localhost:3000.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const address = process.argv[2] ?? 'http://localhost:3000';
const images = path.join(path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..'), 'docs/images');
const WIDE = { width: 1_280, height: 800 };
const NARROW = { width: 390, height: 844 };
const QUALITY = 80;
const IDLE_MS = 1_500;

/** The pictures: path, a text that shows that the screen is complete, window, and the button to press first. */
const PICTURES = {
  releases: { at: 'releases', until: 'catalog v0.9.0' },
  release: { at: 'r/catalog/v0.9.0', until: 'What keeps the gate closed' },
  quality: { at: 'quality?repo=payments&milestone=v1.4.0', until: 'of 100' },
  history: { at: 'history', until: 'The deployment bypassed the gate.' },
  decisions: { at: 'r/payments/v1.4.0', until: 'Approved by', tab: 'Decisions', colorScheme: 'dark' },
  reviews: { at: 'reviews?scope=workspace', until: 'catalog v0.8.4', window: NARROW, colorScheme: 'dark' },
};

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
try {
  const page = await browser.newPage({ viewport: WIDE, locale: 'en-US', timezoneId: 'UTC' });
  await page.goto(address);
  await page.getByRole('link', { name: 'Sign in with GitHub' }).click();
  await page.locator('button[value="acme-owner"]').click();
  await page.getByRole('heading', { level: 1, name: 'Releases' }).waitFor();
  const devtools = await page.context().newCDPSession(page);
  mkdirSync(images, { recursive: true });
  for (const [name, { at, until, tab, window = WIDE, colorScheme = 'light' }] of Object.entries(PICTURES)) {
    await page.setViewportSize(window);
    await page.emulateMedia({ colorScheme });
    await page.goto(`${address}/w/acme/${at}`);
    await page.getByText(until).first().waitFor();
    if (tab !== undefined) {
      const link = page.getByRole('navigation', { name: 'Parts of the release' }).getByRole('link', { name: tab });
      await link.click();
      await link.scrollIntoViewIfNeeded();
    }
    await page.waitForTimeout(IDLE_MS);
    const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
    const picture = Buffer.from(data, 'base64');
    writeFileSync(path.join(images, `${name}.webp`), picture);
    console.log(`docs/images/${name}.webp ${(picture.length / 1_000).toFixed(0)} kB`);
  }
} finally {
  await browser.close();
}
