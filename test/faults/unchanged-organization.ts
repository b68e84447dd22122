import { SyncJobs } from '../../src/features/sync/sync.jobs.js';
import { RepositoryScenario } from '../e2e/scenarios/repository-scenario.js';
import { TestEnvironment } from '../support/test-environment.js';
import { waitUntilIdle } from './wait-until-idle.js';

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
    // What one reading makes the next one ask for is known after the second.
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
