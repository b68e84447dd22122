import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RandomOrder } from '../../../../test/faults/random-order.js';
import { TestWorkspaceDatabase } from '../../../../test/support/test-workspace-database.js';
import type { WorkspaceRows } from '../../../../test/support/workspace-rows.js';
import type { TenantTransaction } from '../../../database/database.js';
import { factId, type FactKey } from '../../../domain/facts/facts.js';
import { WorkspacesQueries } from '../../../workspaces/workspaces.queries.js';
import { RetentionRepository } from '../../operations/retention.repository.js';
import { ReleasesQueries } from '../records/releases.queries.js';
import { FactHintsRepository, type FactHint, type FactNumber } from './fact-hints.repository.js';
import { type NumberedObservation, ObservationsRepository, type RecordedFacts } from './observations.repository.js';

const ROUNDS = 50;
/** Each race uses its own repository, without stored facts at first. */
const RACES_AT_ONCE = 3;
const STEPS_PER_RACE = 3;
const PAUSES_MS = [0, 2, 10, 30];

/** A fact, and the hints that concern it. */
interface Subject {
  readonly fact: FactKey;
  readonly hints: readonly FactHint[];
}

const SUBJECTS: readonly Subject[] = [
  { fact: { kind: 'checks', key: 'a' }, hints: [{ kind: 'checks', key: 'a' }] },
  { fact: { kind: 'policy', key: '' }, hints: [{ kind: 'policy', key: '' }] },
  { fact: { kind: 'refs', key: 'release/' }, hints: [{ kind: 'refs', key: 'release/v1.0.0' }] },
  {
    fact: { kind: 'team', key: 'managers' },
    hints: [
      { kind: 'team', key: null },
      { kind: null, key: null },
    ],
  },
];

let listed: TestWorkspaceDatabase;
let rows: WorkspaceRows;
let hints: FactHintsRepository;
let observations: ObservationsRepository;
let retention: RetentionRepository;

beforeAll(async () => {
  listed = await TestWorkspaceDatabase.open();
  rows = await listed.workspace('Acme');
  hints = new FactHintsRepository(listed.database);
  observations = new ObservationsRepository(hints);
  retention = new RetentionRepository(listed.database, new WorkspacesQueries(listed.database));
});
afterAll(() => listed.close());

const inTenant = <T>(work: (tx: TenantTransaction) => Promise<T>): Promise<T> =>
  listed.database.inTenant(rows.orgId, work);

/** A simulated GitHub whose facts are growing numbers, reads of these facts, and deliveries for each change. */
class Race {
  private readonly now = new Map(SUBJECTS.map(({ fact }) => [factId(fact), 0]));
  readonly stale: string[] = [];

  constructor(
    private readonly repositoryId: string,
    private readonly random: RandomOrder,
  ) {}

  /** Reads the fact, and reads it again while the result is rejected, as the job does. */
  async read(fact: FactKey): Promise<void> {
    for (let isRefused = true; isRefused;) {
      const readNumber = await hints.next();
      await this.pause();
      const value = this.now.get(factId(fact));
      await this.pause();
      const { refused } = await this.record({ ...fact, readNumber, value }, () => this.pause());
      isRefused = refused.length > 0;
    }
  }

  /** Stores a value, and ends the transaction after `meanwhile`. */
  record(
    { value = 0, ...read }: FactKey & { readonly readNumber: FactNumber; readonly value?: number | undefined },
    meanwhile: () => Promise<void> = () => Promise.resolve(),
  ): Promise<RecordedFacts> {
    const observation = { ...read, value, observedAt: new Date() } as unknown as NumberedObservation;
    return inTenant(async (tx) => {
      const recorded = await observations.save(tx, this.repositoryId, [observation]);
      await meanwhile();
      return recorded;
    });
  }

  /** Changes a fact and processes its delivery. */
  async change({ fact, hints: subjectHints }: Subject): Promise<void> {
    const value = (this.now.get(factId(fact)) ?? 0) + 1;
    this.now.set(factId(fact), value);
    await this.pause();
    const [hint] = this.random.shuffle(subjectHints);
    const about = this.random.happens(0.3) ? null : this.repositoryId;
    await inTenant(async (tx) => {
      await hints.note(tx, about, [hint!]);
      await this.pause();
    });
    const usedFacts = await inTenant((tx) =>
      new ReleasesQueries(listed.database).listUsedFacts(tx, this.repositoryId, [hint!]),
    );
    for (const one of usedFacts) await this.read(one);
    const counting = await this.counting(fact);
    if (counting !== null && counting < value) this.stale.push(`${factId(fact)}: ${counting} < ${value}`);
  }

  /** Makes hints old and merges them. */
  async age(): Promise<void> {
    await inTenant((tx) => tx.query(`update fact_hint set hinted_at = now() - interval '2 hours'`));
    await retention.mergeHints();
  }

  /** Whether the stored facts that count equal those of the simulated GitHub. */
  async waitUntilIdle(): Promise<boolean> {
    for (const [index, { fact }] of SUBJECTS.entries()) {
      const counting = await this.counting(fact);
      if (counting !== null && counting !== [...this.now.values()][index]) return false;
    }
    return true;
  }

  private async counting({ kind, key }: FactKey): Promise<number | null> {
    const [row] = await inTenant((tx) =>
      tx.query<{ readonly value: number }>(
        `select value from observation
         where repository_id = $1 and kind = $2 and key = $3 and observed_at > 'epoch'`,
        [this.repositoryId, kind, key],
      ),
    );
    return row?.value ?? null;
  }

  private async pause(): Promise<void> {
    await sleep(this.random.shuffle(PAUSES_MS)[0]);
  }
}

describe('a fact that changes while it is read', () => {
  const CHECKS = SUBJECTS[0]!;

  it('is found by the read that follows the hint if its store began before the hint', async () => {
    const race = new Race(await rows.repository('stored-first'), new RandomOrder('stored first'));
    const readNumber = await hints.next();
    const [isStored, stored] = signal();
    const [mayEnd, end] = signal();
    const storing = race.record({ ...CHECKS.fact, readNumber }, async () => {
      stored();
      await mayEnd;
    });
    await isStored;
    const changing = race.change(CHECKS);
    await Promise.race([changing, sleep(300)]);
    end();
    await Promise.all([storing, changing]);
    expect([race.stale, await race.waitUntilIdle()]).toEqual([[], true]);
  });

  it('is not saved if a hint is being stored, after it waited for the hint', async () => {
    const repositoryId = await rows.repository('noted-first');
    const race = new Race(repositoryId, new RandomOrder('noted first'));
    const readNumber = await hints.next();
    const [isNoted, noted] = signal();
    const [mayEnd, end] = signal();
    const noting = inTenant(async (tx) => {
      await hints.note(tx, repositoryId, CHECKS.hints);
      noted();
      await mayEnd;
    });
    await isNoted;
    const storing = race.record({ ...CHECKS.fact, readNumber });
    await Promise.race([storing, sleep(300)]);
    end();
    await noting;
    expect((await storing).refused).toEqual([CHECKS.fact]);
  });

  it('never counts with its old value once its delivery is processed, in any order of reads, hints and transactions', async () => {
    const seed = process.env['SHUFFLE_SEED'] ?? randomUUID().slice(0, 8);
    for (let round = 0; round < ROUNDS; round += 1) {
      const outcomes = await Promise.all(
        Array.from({ length: RACES_AT_ONCE }, (_, at) => runRace(`${seed} ${round} ${at}`)),
      );
      expect(outcomes).toEqual(outcomes.map(({ seed: of }) => ({ seed: of, stale: [], settled: true })));
    }
  });
});

async function runRace(seed: string): Promise<{ seed: string; stale: readonly string[]; settled: boolean }> {
  const random = new RandomOrder(seed);
  const race = new Race(await rows.repository(`repository ${seed}`), random);
  const [subject] = random.shuffle(SUBJECTS);
  const steps = Array.from({ length: STEPS_PER_RACE }, async () => {
    await sleep(random.shuffle(PAUSES_MS)[0]);
    if (random.happens(0.05)) return race.age();
    return random.happens(0.5) ? race.read(subject!.fact) : race.change(subject!);
  });
  await Promise.all(steps);
  return { seed, stale: race.stale, settled: await race.waitUntilIdle() };
}

function signal(): readonly [Promise<void>, () => void] {
  let give: () => void = () => undefined;
  return [new Promise<void>((resolve) => (give = resolve)), () => give()];
}
