import { setTimeout as sleep } from 'node:timers/promises';
import type { FactKind } from '../../src/domain/facts/facts.js';
import { SyncJobs } from '../../src/features/sync/sync.jobs.js';
import { TestEnvironment } from '../support/test-environment.js';
import { ReleaseUnderTest, isOfUnknown, type GateReading } from './release-under-test.js';
import type { GitHubFailure } from './github-failures.js';
import { waitUntilIdle } from './wait-until-idle.js';

/** The result for a gate while GitHub failed in one way, and after that. */
interface Outcome {
  /** Whether any gate was open while the fact was too old. */
  readonly openMeanwhile: boolean;
  /** Whether every answer stated that a fact was unknown or too old. */
  readonly explained: boolean;
  /** Calls during a pause that GitHub had requested. */
  readonly callsInPause: number;
  /** Whether the service recovered together with GitHub, without a restart. */
  readonly wellAfterwards: boolean;
}

export const FAILED_CLOSED: Outcome = { openMeanwhile: false, explained: true, callsInPause: 0, wellAfterwards: true };

type Meanwhile = 'nothing happens' | 'all is read anew' | 'the answer comes';

const MINUTE_MS = 60_000;
/** Longer than the lifetime of any fact that expires. */
const TOO_OLD_MS = 21 * MINUTE_MS;
/** The longest pause that a failure requests. */
const LONGEST_PAUSE_MS = 60 * MINUTE_MS;
const ERROR_LEVEL = 50;
const MAX_POLLS = 20;
const POLL_INTERVAL_MS = 500;

/** A GitHub that fails for several organizations, each in its own way. */
export class FailingGitHub {
  private constructor(
    private readonly env: TestEnvironment,
    private readonly exposed: ReadonlyMap<GitHubFailure, ReleaseUnderTest>,
  ) {}

  static async start(failures: readonly GitHubFailure[]): Promise<FailingGitHub> {
    const env = await TestEnvironment.start({ BILLING: 'off' });
    const exposed = new Map<GitHubFailure, ReleaseUnderTest>();
    for (const [index, failure] of failures.entries()) {
      const organization = env.github.createOrganization({ login: `org-${index}` });
      exposed.set(failure, await ReleaseUnderTest.open(env, organization, `app-${index}`));
    }
    return new FailingGitHub(env, exposed);
  }

  stop(): Promise<void> {
    return this.env.stop();
  }

  /** The kinds of facts that the verdicts of the gates use. */
  async usedFacts(): Promise<readonly string[]> {
    const [first] = this.exposed.values();
    return (await first?.usedFacts()) ?? [];
  }

  /**
   * Makes the facts of the kind too old, and fails each attempt to read them. Returns for each failure how the gates
   * answered at once and again after `meanwhile`.
   */
  async fail(
    kind: FactKind,
    failures: readonly GitHubFailure[],
    meanwhile: Meanwhile = 'nothing happens',
  ): Promise<Readonly<Record<string, Outcome>>> {
    const subjects = failures.map((failure) => ({ failure, release: this.exposed.get(failure)! }));
    this.env.clock.advance(TOO_OLD_MS);
    for (const { failure, release } of subjects) release.fail(kind, failure);
    // After the faults, so that the fact is not refreshed before its reads fail.
    for (const { release } of subjects) await release.outdate(kind);
    const readGates = (): Promise<readonly GateReading[]> =>
      Promise.all(subjects.map(({ release }) => release.readGate(kind)));
    const readings = [await readGates()];
    const calls = subjects.map(({ release }) => release.calls());
    if (meanwhile === 'all is read anew') {
      await this.env.app.get(SyncJobs).enqueueAll();
      await waitUntilIdle(this.env);
    }
    if (meanwhile !== 'the answer comes') readings.push(await readGates());
    const inPause = subjects.map(({ failure, release }, at) =>
      failure.requestsPause ? release.calls() - calls[at]! : 0,
    );
    this.env.github.faults.clear();
    this.env.clock.advance(LONGEST_PAUSE_MS);
    const well = await Promise.all(subjects.map(({ release }) => becomes(() => release.isWell())));
    const outcomeOf = (at: number): Outcome => ({
      openMeanwhile: readings.some((reading) => reading[at]!.open),
      explained: readings.every((reading) => reading[at]!.codes.some(isOfUnknown)),
      callsInPause: inPause[at]!,
      wellAfterwards: well[at]!,
    });
    return Object.fromEntries(subjects.map(({ failure }, at) => [failure.name, outcomeOf(at)]));
  }

  /**
   * Log lines on which an operator would have to act, and requests and responses that GitHub's description does not
   * allow.
   */
  troubles(): readonly unknown[] {
    const errors = this.env.lines.filter((line) => (JSON.parse(line) as { level: number }).level >= ERROR_LEVEL);
    return [...errors, ...this.env.violations];
  }
}

/** Polls, because the first read may still wait for one that began while GitHub failed. */
async function becomes(holds: () => Promise<boolean>): Promise<boolean> {
  for (let polls = 0; polls < MAX_POLLS; polls += 1) {
    if (await holds()) return true;
    await sleep(POLL_INTERVAL_MS);
  }
  return false;
}
