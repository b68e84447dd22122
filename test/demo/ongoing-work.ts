import { setTimeout as sleep } from 'node:timers/promises';
import type { CiSettings } from './ci.js';
import type { DemoEnvironment } from './demo-environment.js';
import { shipHotfix } from './hotfix.js';
import { Narrator } from './narrator.js';
import { ReleaseWalkthrough } from './release-walkthrough.js';

const PAUSE_MS = 15_000;
const FIRST_PATCH = 5;
const TITLES = ['Round totals', 'Show sizes', 'Keep the basket', 'Sort by name', 'Repair the search'];

/** Ships one hotfix after the other, slowly, so that the pages of an open browser change. It never ends. */
export async function workOn(environment: DemoEnvironment, ciSettings: CiSettings): Promise<never> {
  const walk = new ReleaseWalkthrough(environment, ciSettings, new Narrator(true));
  for (let patch = FIRST_PATCH; ; patch += 1) {
    const title = TITLES[patch % TITLES.length] ?? 'Small repairs';
    await sleep(PAUSE_MS);
    // A step fails if a visitor has changed the release meanwhile, for example by a freeze. Then the next hotfix
    // starts.
    await shipHotfix(environment, ciSettings, walk, {
      repository: environment.repositories.catalog,
      version: `v0.8.${patch}`,
      title,
      pauseMs: PAUSE_MS,
    }).catch(() => undefined);
  }
}
