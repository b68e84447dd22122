import { setTimeout as sleep } from 'node:timers/promises';
import type { FactKind } from '../../src/domain/facts/facts.js';
import { LiveRefreshService } from '../../src/features/releases/details/live-refresh.service.js';
import { ReleaseRefreshService } from '../../src/features/releases/evaluation/release-refresh.service.js';
import { FactReaderService } from '../../src/features/releases/facts/fact-reader.service.js';
import { SyncJobs } from '../../src/features/sync/sync.jobs.js';
import { SecondInstance } from '../e2e/events/second-instance.js';
import type { TestEnvironment } from '../support/test-environment.js';
import { ReleaseUnderTest } from './release-under-test.js';
import { waitUntilIdle } from './wait-until-idle.js';

/**
 * The code that reads a fact for the first time, and in which of two processes. Deliveries are always processed in the
 * worker's process.
 */
export const FIRST_READERS = [
  'the gate',
  'a job',
  'the sync',
  'a live look',
  'the gate of another process',
  'a live look of another process',
] as const;
type FirstReader = (typeof FIRST_READERS)[number];

/** A fact that changes while it is read for the first time. */
export interface FirstRead {
  readonly kind: FactKind;
  readonly reader: FirstReader;
}

/** The result after the delivery was marked as done. */
interface Outcome {
  readonly openedMeanwhile: boolean;
  /** Whether the service stored and used the new value without any further change. */
  readonly currentInTime: boolean;
}

export const CLOSED_AND_CURRENT: Outcome = { openedMeanwhile: false, currentInTime: true };

/** A busy machine may take this long for a step that takes a moment. */
const PATIENCE_MS = 60_000;
const POLL_INTERVAL_MS = 100;
/** The number of gate requests after the late response, once the new value is known. */
const READS_AFTERWARDS = 5;

/** Delays the first read of facts, changes the facts meanwhile, and records the answers of the gates. */
export class FirstReads {
  private constructor(
    private readonly env: TestEnvironment,
    private readonly neighbour: SecondInstance,
    private readonly exposed: ReadonlyMap<FirstRead, ReleaseUnderTest>,
  ) {}

  static async start(env: TestEnvironment, reads: readonly FirstRead[]): Promise<FirstReads> {
    const neighbour = await SecondInstance.start(env);
    const exposed = new Map<FirstRead, ReleaseUnderTest>();
    for (const [index, read] of reads.entries()) {
      const organization = env.github.createOrganization({ login: `org-${index}` });
      exposed.set(read, await ReleaseUnderTest.open(env, organization, `app-${index}`));
    }
    return new FirstReads(env, neighbour, exposed);
  }

  stop(): Promise<void> {
    return this.neighbour.stop();
  }

  /** The kinds of facts that the verdicts use. */
  async usedFacts(): Promise<readonly FactKind[]> {
    const [first] = this.exposed.values();
    return (await first?.usedFacts()) ?? [];
  }

  async change(read: FirstRead): Promise<Outcome> {
    const { kind } = read;
    const release = this.exposed.get(read)!;
    await release.deleteFact(kind);
    const held = release.hold(kind);
    const reading = this.begin(read, release);
    await inTime(held.came);
    release.change(kind);
    await this.untilDelivered();
    held.letThrough();
    await reading;
    return this.watch(kind, release);
  }

  private async begin({ kind, reader }: FirstRead, release: ReleaseUnderTest): Promise<unknown> {
    const { orgId, releaseId } = await release.subject(kind);
    const { env, neighbour } = this;
    const begin: Readonly<Record<FirstReader, () => Promise<unknown>>> = {
      'the gate': () => this.readGate(kind, release, [env.app]),
      'the gate of another process': () => this.readGate(kind, release, [neighbour.app]),
      'a live look': () => env.app.get(LiveRefreshService).refresh(orgId, releaseId),
      'a live look of another process': () => neighbour.app.get(LiveRefreshService).refresh(orgId, releaseId),
      'a job': () => env.app.get(ReleaseRefreshService).refreshOne({ orgId, releaseId, cause: 'test' }),
      'the sync': () => env.app.get(SyncJobs).enqueueAll(),
    };
    return begin[reader]();
  }

  /** Whether any gate is open, with and without `explain`. */
  private async readGate(
    kind: FactKind,
    release: ReleaseUnderTest,
    apps = [this.env.app, this.neighbour.app],
  ): Promise<boolean> {
    const { query } = await release.subject(kind);
    const headers = { authorization: `Bearer ${await release.token()}` };
    let isOpen = false;
    for (const app of apps) {
      for (const explain of ['false', 'true']) {
        const response = await fetch(`${await app.getUrl()}/api/milestones/check?${query}&explain=${explain}`, {
          headers,
        });
        if (response.status !== 200) throw new Error(`the gate answered ${response.status}: ${await response.text()}`);
        isOpen ||= ((await response.json()) as { readonly can_deploy: boolean }).can_deploy;
      }
    }
    return isOpen;
  }

  private async watch(kind: FactKind, release: ReleaseUnderTest): Promise<Outcome> {
    let openedMeanwhile = false;
    let currentInTime = false;
    let left = READS_AFTERWARDS;
    for (const deadline = Date.now() + PATIENCE_MS; left > 0 && Date.now() < deadline; await sleep(POLL_INTERVAL_MS)) {
      openedMeanwhile ||= await this.readGate(kind, release);
      currentInTime ||= await release.isCurrent(kind, this.env.app.get(FactReaderService));
      if (currentInTime || openedMeanwhile) left -= 1;
    }
    await waitUntilIdle(this.env);
    return { openedMeanwhile, currentInTime };
  }

  /** Waits until each delivery is marked as done. The read of the fact still waits then. */
  async untilDelivered(): Promise<void> {
    for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(POLL_INTERVAL_MS)) {
      await this.env.outbox.waitUntilIdle();
      const pending = await this.env.asSuperuser(`select 1 from webhook_delivery where status = 'pending'`);
      if (pending.length === 0) return;
    }
    throw new Error('The deliveries were not done in time.');
  }
}

async function inTime(work: Promise<void>): Promise<void> {
  const late = new AbortController();
  const never = sleep(PATIENCE_MS, undefined, { signal: late.signal }).then(() => {
    throw new Error('The fact was not read.');
  });
  try {
    await Promise.race([work, never]);
  } finally {
    late.abort();
    never.catch(() => undefined);
  }
}
