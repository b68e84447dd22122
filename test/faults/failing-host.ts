import { setTimeout as sleep } from 'node:timers/promises';
import type { FactKind } from '../../src/domain/facts/facts.js';
import { SyncJobs } from '../../src/features/sync/sync.jobs.js';
import { TestEnvironment } from '../support/world.js';
import { ReleaseUnderTest, isOfUnknown, type GateWord } from './exposed-release.js';
import type { GitHubFailure } from './host-failures.js';
import { waitUntilIdle } from './patience.js';

/** What became of a gate while the host failed in one way, and after that. */
interface Outcome {
  /** Whether any answer was yes while the fact was too old. */
  readonly openMeanwhile: boolean;
  /** Whether it said that something was not known. */
  readonly saidWhy: boolean;
  /** Calls that were made although the host had asked for a pause. */
  readonly callsInPause: number;
  /** Whether all was well once the host was, with nothing restarted. */
  readonly wellAfterwards: boolean;
}

export const FAILED_CLOSED: Outcome = { openMeanwhile: false, saidWhy: true, callsInPause: 0, wellAfterwards: true };

type Meanwhile = 'nothing happens' | 'all is read anew' | 'the answer comes';

const MINUTE_MS = 60_000;
/** Longer than any fact that ages counts. */
const TOO_OLD_MS = 21 * MINUTE_MS;
/** Nobody is asked to wait longer here. */
const LONGEST_PAUSE_MS = 60 * MINUTE_MS;
const ERROR_LEVEL = 50;
const LOOKS = 20;
const BETWEEN_LOOKS_MS = 500;

/** A host that fails several organizations, each in a way of its own. */
export class FailingGitHub {
  private constructor(
    private readonly world: TestEnvironment,
    private readonly exposed: ReadonlyMap<GitHubFailure, ReleaseUnderTest>,
  ) {}

  static async start(failures: readonly GitHubFailure[]): Promise<FailingGitHub> {
    const world = await TestEnvironment.start({ BILLING: 'off' });
    const exposed = new Map<GitHubFailure, ReleaseUnderTest>();
    for (const [index, failure] of failures.entries()) {
      const organization = world.github.createOrganization({ login: `org-${index}` });
      exposed.set(failure, await ReleaseUnderTest.open(world, organization, `app-${index}`));
    }
    return new FailingGitHub(world, exposed);
  }

  stop(): Promise<void> {
    return this.world.stop();
  }

  /** Which kinds of facts the gates rest on. */
  async consulted(): Promise<readonly string[]> {
    const [first] = this.exposed.values();
    return (await first?.consulted()) ?? [];
  }

  /**
   * Lets facts of the kind grow too old, fails each attempt to read them, and tells by way what became of the gates: of
   * those who ask at once, and of those who ask again after `meanwhile`.
   */
  async fail(
    kind: FactKind,
    failures: readonly GitHubFailure[],
    meanwhile: Meanwhile = 'nothing happens',
  ): Promise<Readonly<Record<string, Outcome>>> {
    const subjects = failures.map((failure) => ({ failure, release: this.exposed.get(failure)! }));
    this.world.clock.advance(TOO_OLD_MS);
    for (const { failure, release } of subjects) release.fail(kind, failure);
    // Last, so that nobody has learnt it anew by the time it cannot be read.
    for (const { release } of subjects) await release.outdate(kind);
    const ask = (): Promise<readonly GateWord[]> => Promise.all(subjects.map(({ release }) => release.ask(kind)));
    const words = [await ask()];
    const calls = subjects.map(({ release }) => release.calls());
    if (meanwhile === 'all is read anew') {
      await this.world.app.get(SyncJobs).enqueueAll();
      await waitUntilIdle(this.world);
    }
    if (meanwhile !== 'the answer comes') words.push(await ask());
    const inPause = subjects.map(({ failure, release }, at) =>
      failure.asksForPause ? release.calls() - calls[at]! : 0,
    );
    this.world.github.faults.clear();
    this.world.clock.advance(LONGEST_PAUSE_MS);
    const well = await Promise.all(subjects.map(({ release }) => becomes(() => release.isWell())));
    const outcomeOf = (at: number): Outcome => ({
      openMeanwhile: words.some((word) => word[at]!.open),
      saidWhy: words.every((word) => word[at]!.codes.some(isOfUnknown)),
      callsInPause: inPause[at]!,
      wellAfterwards: well[at]!,
    });
    return Object.fromEntries(subjects.map(({ failure }, at) => [failure.name, outcomeOf(at)]));
  }

  /** What the service wrote into its log that somebody would have to act on, and what was not as GitHub describes it. */
  troubles(): readonly unknown[] {
    const errors = this.world.lines.filter((line) => (JSON.parse(line) as { level: number }).level >= ERROR_LEVEL);
    return [...errors, ...this.world.violations];
  }
}

/** Who is asked first may still be at a look that began while the host failed. */
async function becomes(holds: () => Promise<boolean>): Promise<boolean> {
  for (let looks = 0; looks < LOOKS; looks += 1) {
    if (await holds()) return true;
    await sleep(BETWEEN_LOOKS_MS);
  }
  return false;
}
