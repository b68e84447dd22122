import { common } from '../texts/en/common.js';

/** The pauses before the two retries, because a network may lose a file. */
const PAUSES_MS = [1_000, 3_000];

/**
 * Loads the code of a part of the dashboard. Tries again twice, except if the file is gone because the service was upgraded. Throws an error
 * with a sentence for the user.
 */
export async function loadCode<Code>(load: () => Promise<Code>): Promise<Code> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await load();
    } catch (cause) {
      const pauseMs = PAUSES_MS[attempt];
      if (pauseMs === undefined || (await isUpgraded())) throw new Error(common.notLoaded, { cause });
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

/** Whether the service has another version of the dashboard than this page. False if it cannot be reached. */
export async function isUpgraded(): Promise<boolean> {
  const own = document.querySelector('script[type=module][src]')?.getAttribute('src') ?? '';
  const page = await fetch('/', { cache: 'no-cache' }).then(
    (response) => (response.ok ? response.text() : null),
    () => null,
  );
  return page !== null && !page.includes(own);
}
