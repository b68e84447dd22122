import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { buildClient, removeClient, shipgate } from '../client/client-process.js';
import { RepositoryScenario } from '../e2e/scenarios/repository-scenario.js';
import { TestEnvironment } from '../support/test-environment.js';
import { identityService } from '../workflows/runner-services.js';

/**
 * The number of jobs of one repository that may wait at once: with four requests a minute each they use the limit of
 * 300.
 */
const CLIENTS = 75;
const CLOSED_MS = Number(process.env['CLOSED_MINUTES'] ?? '5') * 60_000;
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
  const identities = await identityService(SECRET, () => scenario.run(candidate).token());
  let ended = 0;
  const clients = Array.from({ length: CLIENTS }, async (_, index) => {
    // CI does not start 75 jobs at the same moment, and this machine has few cores.
    await sleep(index * 200);
    const outcome = await shipgate(['gate', '--release', 'v1.0.0', '--wait', '30m', '--json'], {
      env: {
        SHIPGATE_URL: env.baseUrl,
        GITHUB_ACTIONS: 'true',
        GITHUB_REPOSITORY: 'acme/payments',
        GITHUB_SHA: candidate,
        ACTIONS_ID_TOKEN_REQUEST_URL: `${identities.url}/token?v=2`,
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: SECRET,
      },
    });
    ended += 1;
    return outcome;
  });
  try {
    await sleep(CLOSED_MS);
    expect(ended).toBe(0);
    scenario.approve('v1.0.0');
    const outcomes = await Promise.all(clients);
    expect(outcomes.map(({ code, json }) => [code, json['outcome']])).toEqual(
      Array.from({ length: CLIENTS }, () => [0, 'open']),
    );
    report(env.lines);
  } finally {
    await identities.stop();
  }
}, 1_800_000);

/** Prints how the service answered: how often, with which status, and in which time. */
function report(lines: readonly string[]): void {
  const answers = lines
    .map((line) => JSON.parse(line) as { readonly route?: string; readonly status?: number; readonly ms?: number })
    .filter(({ route }) => route?.includes('milestones/check'));
  const times = answers.flatMap(({ ms }) => (ms === undefined ? [] : [ms])).toSorted((one, other) => one - other);
  const at = (share: number): string => (times[Math.floor(times.length * share)] ?? Number.NaN).toFixed(1);
  const limited = answers.filter(({ status }) => status === 429).length;
  process.stdout.write(
    `${answers.length} answers of the gate, ${limited} of them 429; ${at(0.5)} ms median, ${at(0.99)} ms p99\n`,
  );
}
