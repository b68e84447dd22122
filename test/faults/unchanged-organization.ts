import { SyncJobs } from '../../src/features/sync/sync.jobs.js';
import { RepositoryScenario } from '../e2e/scenarios/repository-scenario.js';
import { TestEnvironment } from '../support/test-environment.js';
import { waitUntilIdle } from './wait-until-idle.js';

/** The calls of a sync of an organization without changes. */
export interface Reading {
  /** Requests of the installation, whatever the response was. */
  readonly asked: number;
  /**
   * Requests that count against the rate limit. GitHub does not count responses with 304 ("Best practices for using the
   * REST API").
   */
  readonly paid: readonly string[];
}

/**
 * Syncs an organization of this many repositories, each with a release and most with an `sdlc.yaml`, until everything
 * is stored, and then once more.
 */
export async function syncUnchangedOrganization(repositories: number): Promise<Reading> {
  const env = await TestEnvironment.start({ BILLING: 'off' });
  try {
    for (let index = 0; index < repositories; index += 1) {
      const { repository } = new RepositoryScenario(env, {
        name: `repo-${index}`,
        ...(index % 3 === 0 && { sdlc: null }),
      });
      repository.milestones.create({ title: `v1.${index}.0` });
    }
    env.github.installApp(env.githubApp, env.organization);
    await waitUntilIdle(env);
    const readAnew = async (): Promise<void> => {
      await env.app.get(SyncJobs).enqueueAll();
      await waitUntilIdle(env);
    };
    // The first sync may leave reads for the next one. After the second, none is left.
    await readAnew();
    const before = env.exchanges.length;
    await readAnew();
    const requested = env.exchanges.slice(before).filter(({ path }) => !path.startsWith('/app/'));
    const paid = requested.filter(({ status }) => status !== 304);
    return { asked: requested.length, paid: paid.map(({ method, path, status }) => `${method} ${path} ${status}`) };
  } finally {
    await env.stop();
  }
}
