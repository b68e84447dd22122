import { common } from '../texts/en/common.js';

/** The pauses before each look whether the service answers, because a network that lost a file may lose the next request, too. */
const PAUSES_MS = [0, 1_000, 3_000];
/**
 * The most reloads of one URL within a minute that no user asked for. A screen with its parts may lose several files, but a file may also
 * stay unavailable.
 */
const MAX_RELOADS = 3;
const MINUTE_MS = 60_000;

/** The code of a part of the dashboard could not be loaded. */
class CodeNotLoadedError extends Error {}

/** Loads the code of a part of the dashboard. Throws an error with a sentence for the user. */
export async function loadCode<Code>(load: () => Promise<Code>): Promise<Code> {
  try {
    return await load();
  } catch (cause) {
    throw new CodeNotLoadedError(common.notLoaded, { cause });
  }
}

/**
 * Reloads the page after an error that a reload can end, as soon as the service answers: the service was upgraded since the page was loaded,
 * or the network lost a file. Chromium remembers a module that it could not load for as long as the page lives, so a second request for it
 * needs a new page (https://github.com/whatwg/html/issues/6768). Does nothing if the service does not answer within some seconds.
 */
export async function reloadIfUseful(error: unknown): Promise<void> {
  const page = await readStartPage();
  if (page === null) return;
  const own = document.querySelector('script[type=module][src]')?.getAttribute('src') ?? '';
  if ((error instanceof CodeNotLoadedError || !page.includes(own)) && mayReload()) location.reload();
}

async function readStartPage(): Promise<string | null> {
  for (const pauseMs of PAUSES_MS) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    const response = await fetch('/', { cache: 'no-cache' }).catch(() => null);
    if (response?.ok) return response.text();
  }
  return null;
}

/** Counts a reload of this URL, and returns whether there were fewer than the most within the last minute. */
function mayReload(): boolean {
  const key = `reloads ${location.pathname}`;
  const stored = sessionStorage.getItem(key);
  const times: readonly number[] = stored === null ? [] : (JSON.parse(stored) as readonly number[]);
  const recent = times.filter((time) => Math.abs(Date.now() - time) < MINUTE_MS);
  if (recent.length >= MAX_RELOADS) return false;
  sessionStorage.setItem(key, JSON.stringify([...recent, Date.now()]));
  return true;
}
