import { PLAIN_POLICY, RepositoryScenario } from '../e2e/scenarios/repository-scenario.js';
import { TestEnvironment } from '../support/test-environment.js';
import { DelayedDeliveries } from './delayed-deliveries.js';
import { outcomeOf, type LifeOutcome } from './release-outcome.js';
import { waitUntilIdle } from './wait-until-idle.js';
import { RandomOrder } from './random-order.js';
import { ChangingRelease, GITHUB_STATES, type GitHubState } from './changing-release.js';
import { ShuffledScenario } from './shuffled-scenario.js';
import { bringAllOf, ShuffledDeliveries } from './shuffled-deliveries.js';

/**
 * The number of releases that change together, so that the test waits for the service once and not for each of them.
 */
const TOGETHER = 10;
/** The number of changes in one order, before all deliveries have arrived. */
const CHANGES = 4;

interface Report {
  /** The results with each delivery at once, once and in order. */
  readonly inOrder: readonly LifeOutcome[];
  /** The results that differ, by the seeds of their orders; empty if every order has the same result. */
  readonly different: Readonly<Record<string, LifeOutcome>>;
}

const sameAs = (outcome: LifeOutcome, other: LifeOutcome | undefined): boolean =>
  JSON.stringify(outcome) === JSON.stringify(other);

/** Runs this many whole lives of releases with shuffled deliveries, and compares their results with one in order. */
export async function runShuffled(lives: number, seed: string): Promise<Report> {
  const env = await TestEnvironment.start({ BILLING: 'off' });
  try {
    await env.install();
    const deliveries = new DelayedDeliveries(env);
    const inOrder = await liveTogether(env, deliveries, ['in-order'], () => null);
    const different: Record<string, LifeOutcome> = {};
    for (let lived = 0; lived < lives; lived += TOGETHER) {
      const count = Math.min(TOGETHER, lives - lived);
      const seeds = Array.from({ length: count }, (_, index) => `${seed}-${lived + index}`);
      const outcomes = await liveTogether(env, deliveries, seeds, (name) => new RandomOrder(name));
      for (const [index, outcome] of outcomes.entries()) {
        if (!sameAs(outcome, inOrder[0])) different[seeds[index]!] = outcome;
      }
    }
    return { inOrder, different };
  } finally {
    await env.stop();
  }
}

async function liveTogether(
  env: TestEnvironment,
  deliveries: DelayedDeliveries,
  names: readonly string[],
  orderOf: (name: string) => RandomOrder | null,
): Promise<readonly LifeOutcome[]> {
  const repos = names.map((name) => new RepositoryScenario(env, { name: `life-${name}`, sdlc: PLAIN_POLICY }));
  await waitUntilIdle(env);
  const lives = repos.map(
    (repo, index) => new ShuffledScenario(repo, new ShuffledDeliveries(repo, deliveries, orderOf(names[index]!))),
  );
  const all = async (step: (life: ShuffledScenario) => Promise<unknown>): Promise<void> => {
    await Promise.all(lives.map(step));
    await bringAllOf(
      lives.map(({ post }) => post),
      () => waitUntilIdle(env),
    );
  };
  await all((life) => life.develop());
  await all((life) => life.review());
  env.clock.advance(2_000);
  await all((life) => life.ship());
  return Promise.all(repos.map(outcomeOf));
}

/**
 * Changes open releases in this many orders of deliveries, and compares each result with the one of the same state on
 * GitHub with deliveries in order.
 */
export async function changeShuffled(orders: number, seed: string): Promise<Report> {
  const env = await TestEnvironment.start({ BILLING: 'off' });
  try {
    await env.install();
    const deliveries = new DelayedDeliveries(env);
    const expected = await measure(env, deliveries);
    const different: Record<string, LifeOutcome> = {};
    const releases = await openMany(env, 'restless');
    for (let tried = 0; tried < orders; tried += releases.length) {
      const posts = releases.map(({ repo }, index) => {
        const random = new RandomOrder(`${seed}-${tried + index}`);
        return { random, post: new ShuffledDeliveries(repo, deliveries, random) };
      });
      await Promise.all(releases.map((release, index) => changeOften(release, posts[index]!)));
      await bringAllOf(
        posts.map(({ post }) => post),
        () => waitUntilIdle(env),
      );
      const outcomes = await Promise.all(releases.map(({ repo }) => outcomeOf(repo)));
      for (const [index, outcome] of outcomes.entries()) {
        const name = `${seed}-${tried + index}`;
        if (!sameAs(outcome, expected.get(nameOf(releases[index]!.now)))) different[name] = outcome;
      }
    }
    return { inOrder: [...expected.values()], different };
  } finally {
    await env.stop();
  }
}

const openMany = (env: TestEnvironment, name: string): Promise<readonly ChangingRelease[]> =>
  Promise.all(Array.from({ length: TOGETHER }, (_, index) => ChangingRelease.open(env, `${name}-${index}`)));

async function changeOften(
  release: ChangingRelease,
  { post, random }: { readonly post: ShuffledDeliveries; readonly random: RandomOrder },
): Promise<void> {
  for (let changes = 0; changes < CHANGES; changes += 1) await release.change(post, random);
}

/** Returns the result of each state on GitHub with deliveries in order. */
async function measure(env: TestEnvironment, deliveries: DelayedDeliveries): Promise<ReadonlyMap<string, LifeOutcome>> {
  const release = await ChangingRelease.open(env, 'measure');
  const post = new ShuffledDeliveries(release.repo, deliveries, null);
  const outcomes = new Map<string, LifeOutcome>();
  for (const state of GITHUB_STATES) {
    await release.become(state, post);
    await bringAllOf([post], () => waitUntilIdle(env));
    outcomes.set(nameOf(state), await outcomeOf(release.repo));
  }
  return outcomes;
}

const nameOf = (state: GitHubState): string => JSON.stringify(state);
