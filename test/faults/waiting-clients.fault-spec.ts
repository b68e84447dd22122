import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { quantile } from '../../bench/measuring/quantile.js';
import { buildClient, type ClientOutcome, removeClient, shipgate } from '../client/client-process.js';
import { RepositoryScenario } from '../e2e/scenarios/repository-scenario.js';
import type { CiRunClient } from '../support/ci-run-client.js';
import { TestEnvironment } from '../support/test-environment.js';
import { identityService } from '../workflows/runner-services.js';

/**
 * The number of jobs of one repository that may wait at once: with four requests a minute each they use the limit of
 * 300.
 */
const CLIENTS = 75;
const CLOSED_MS = Number(process.env['CLOSED_MINUTES'] ?? '5') * 60_000;
/** The jobs start one after the other, as in CI. Then they send five requests a second in all, as the baseline does. */
const START_PAUSE_MS = 200;
const BASELINE_REQUESTS = 150;
/** The longest time between two requests of one job. */
const LONGEST_PAUSE_MS = 20_000;
const TOO_MANY_REQUESTS = 429;
/** How many times slower the median may be while the jobs wait. The 99th percentile shows the other load of the computer. */
const ALLOWED_RATIO = 3;
const SECRET = 'the secret of the job';

let env: TestEnvironment;
beforeAll(async () => {
  buildClient();
  env = await TestEnvironment.start({ BILLING: 'off', RATE_LIMITS: 'on' });
  await env.install();
});
afterAll(async () => {
  removeClient();
  await env.stop();
});

it(`${CLIENTS} jobs of one repository wait for minutes until the gate opens, and no limit ends one`, async () => {
  const scenario = new RepositoryScenario(env, { name: 'payments' });
  const candidate = await scenario.evidencing('v1.0.0');
  // Another repository has a limit of its own.
  const other = new RepositoryScenario(env, { name: 'ledger' });
  const single = other.run(await other.evidencing('v1.0.0'));
  const identities = await identityService(SECRET, () => scenario.run(candidate).token());
  try {
    const before = await answersOf(() => requestAlone(single));
    let ended = 0;
    const begin = env.lines.length;
    const clients = Array.from({ length: CLIENTS }, async (_, index) => {
      await sleep(index * START_PAUSE_MS);
      const outcome = await waitForGate(candidate, identities.url);
      ended += 1;
      return outcome;
    });
    // The start of so many processes takes all cores of a small computer.
    await sleep(CLIENTS * START_PAUSE_MS * 2);
    const waiting = await answersOf(() => sleep(CLOSED_MS));
    expect(ended).toBe(0);
    scenario.approve('v1.0.0');
    const outcomes = await Promise.all(clients);
    const all = answersSince(begin);
    const alone = [...before, ...(await answersOf(() => requestAlone(single)))];

    expect(outcomes.map(({ code, json }) => [code, json['outcome']])).toEqual(
      Array.from({ length: CLIENTS }, () => [0, 'open']),
    );
    // While the gate is closed the jobs stay below the limit. When it opens each sends one request more, so a few may have to try again.
    expect(waiting.filter(({ status }) => status === TOO_MANY_REQUESTS)).toEqual([]);
    expect(waiting.length).toBeGreaterThan((CLIENTS * CLOSED_MS) / LONGEST_PAUSE_MS);
    const [together, one] = [timesOf(waiting), timesOf(alone)];
    process.stdout.write(
      `${all.length} answers; median and p99 ${together.join(' and ')} ms, of one client ${one.join(' and ')} ms\n`,
    );
    expect(together[0]! / one[0]!).toBeLessThan(ALLOWED_RATIO);
  } finally {
    await identities.stop();
  }
}, 1_800_000);

interface Answer {
  readonly route?: string;
  readonly status?: number;
  readonly ms?: number;
}

/** Returns the answers of the gate since a line of the log. */
const answersSince = (begin: number): readonly Answer[] =>
  env.lines
    .slice(begin)
    .map((line) => JSON.parse(line) as Answer)
    .filter(({ route }) => route?.includes('milestones/check'));

/** Returns the answers of the gate during the work. */
async function answersOf(work: () => Promise<void>): Promise<readonly Answer[]> {
  const begin = env.lines.length;
  await work();
  return answersSince(begin);
}

/** Returns the median and the 99th percentile of the times. */
function timesOf(answers: readonly Answer[]): readonly number[] {
  const sorted = answers.map(({ ms = Number.NaN }) => ms).toSorted((one, other) => one - other);
  return [0.5, 0.99].map((share) => quantile(sorted, share));
}

async function requestAlone(client: CiRunClient): Promise<void> {
  for (let request = 0; request < BASELINE_REQUESTS; request += 1) {
    await Promise.all([client.gate('v1.0.0'), sleep(START_PAUSE_MS)]);
  }
}

const waitForGate = (candidate: string, identityUrl: string): Promise<ClientOutcome> =>
  shipgate(['gate', '--release', 'v1.0.0', '--wait', '30m', '--json'], {
    env: {
      SHIPGATE_URL: env.baseUrl,
      GITHUB_ACTIONS: 'true',
      GITHUB_REPOSITORY: 'acme/payments',
      GITHUB_SHA: candidate,
      ACTIONS_ID_TOKEN_REQUEST_URL: `${identityUrl}/token?v=2`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: SECRET,
    },
  });
