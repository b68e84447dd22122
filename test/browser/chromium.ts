import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where Debian and its kin put it; `CHROMIUM` names any other. */
const USUAL_PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser of this machine; null where none is installed. */
export const CHROMIUM: string | null =
  [process.env['CHROMIUM'] ?? '', ...USUAL_PLACES].find((place) => place !== '' && existsSync(place)) ?? null;

export async function launchChromium(): Promise<Browser> {
  if (CHROMIUM === null) throw new Error('No Chromium is installed.');
  // Root, as in most containers, may not use its sandbox; the pages that it opens are our own.
  return chromium.launch({ executablePath: CHROMIUM, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
}
