import { SyncJobs } from '../../src/features/sync/sync.jobs.js';
import { RepositoryScene } from '../e2e/scene/repository-scene.js';
import { TestEnvironment } from '../support/world.js';
import { waitUntilIdle } from './patience.js';

/** What a reading of an organization asked for in which nothing had changed. */
export interface Reading {
  /** Requests of the installation, however they were answered. */
  readonly asked: number;
  /** Those that GitHub counts: it does not count what it answers with 304 ("Best practices for using the REST API"). */
  readonly paid: readonly string[];
}

/**
 * Reads an organization of so many repositories, each with a release and most with an `sdlc.yaml`, until it is known, and
 * then once more.
 */
export async function syncUnchangedOrganization(repositories: number): Promise<Reading> {
  const world = await TestEnvironment.start({ BILLING: 'off' });
  try {
    for (let index = 0; index < repositories; index += 1) {
      const { repository } = new RepositoryScene(world, {
        name: `repo-${index}`,
        ...(index % 3 === 0 && { sdlc: null }),
      });
      repository.milestones.create({ title: `v1.${index}.0` });
    }
    world.github.installApp(world.githubApp, world.organization);
    await waitUntilIdle(world);
    const readAnew = async (): Promise<void> => {
      await world.app.get(SyncJobs).enqueueAll();
      await waitUntilIdle(world);
    };
    // What one reading makes the next one ask for is known after the second.
    await readAnew();
    const before = world.exchanges.length;
    await readAnew();
    const asked = world.exchanges.slice(before).filter(({ path }) => !path.startsWith('/app/'));
    const paid = asked.filter(({ status }) => status !== 304);
    return { asked: asked.length, paid: paid.map(({ method, path, status }) => `${method} ${path} ${status}`) };
  } finally {
    await world.stop();
  }
}
