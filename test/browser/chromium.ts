import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** The paths of Linux distributions. `CHROMIUM` names another one. */
const USUAL_PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser of this machine. Null if none is installed. */
export const CHROMIUM: string | null =
  [process.env['CHROMIUM'] ?? '', ...USUAL_PLACES].find((place) => place !== '' && existsSync(place)) ?? null;

export async function launchChromium(): Promise<Browser> {
  if (CHROMIUM === null) throw new Error('No Chromium is installed.');
  // Root cannot use its sandbox, as in most containers. The tests open their own pages only.
  return chromium.launch({ executablePath: CHROMIUM, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
}
