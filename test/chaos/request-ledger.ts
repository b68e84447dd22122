import { setTimeout as sleep } from 'node:timers/promises';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { DeliveryLedger } from '../faults/delivery-ledger.js';

/** An upload that was acknowledged. */
interface Upload {
  readonly version: string;
  readonly pipeline: string;
  readonly run: string;
}

/** The differences between the database and the acknowledged requests. */
export interface Comparison {
  readonly deliveriesLost: readonly object[];
  readonly uploadsLost: readonly string[];
  readonly uploadsDoubled: readonly string[];
  /** Milestones on GitHub without a release, although all deliveries were processed or were sent again. */
  readonly releasesMissing: readonly string[];
  /** The number of milestones with more than one release and of stage changes that were stored twice. */
  readonly doubled: number;
}

const POLL_INTERVAL_MS = 1_000;

/**
 * Records the requests of the clients and their responses. It uses no code of the service: it compares with rows that a
 * superuser reads, and derives by itself when a gate may be open.
 */
export class RequestLedger {
  readonly uploads: Upload[] = [];
  /** Responses that a release may be deployed, although one of its failed tests was acknowledged before the request. */
  readonly falseYes: string[] = [];
  /** Responses that no client may get, whatever fails. */
  readonly wrong: string[] = [];
  /** Exports and lists that were complete, but lacked a release that was acknowledged before the request. */
  readonly incomplete: string[] = [];
  answered = 0;
  putOff = 0;
  unanswered = 0;
  gateRequests = 0;
  yes = 0;
  exports = 0;
  /**
   * The time from which the gate of a version must be closed: a failed test was acknowledged, and nothing that corrects
   * it was sent.
   */
  private readonly closedSince = new Map<string, number>();

  /** Records that a failed test of the version was acknowledged. */
  close(version: string): void {
    this.closedSince.set(version, performance.now());
  }

  /** Records that a request that may open the gate is about to be sent. */
  mayOpen(version: string): void {
    this.closedSince.delete(version);
  }

  /** Call it before a gate request is sent, and call the result with the answer. */
  beginGate(version: string): (isYes: boolean) => void {
    const before = this.closedSince.get(version);
    this.gateRequests += 1;
    return (isYes) => {
      if (isYes) this.yes += 1;
      if (isYes && before !== undefined && this.closedSince.get(version) === before)
        this.falseYes.push(`${version}, ${Math.round(performance.now() - before)} ms after the failed test`);
    };
  }

  /** Counts a response. Status 0 means that there was no response, so nothing was acknowledged. */
  note(request: string, status: number, retryAfter: string | undefined, expected: readonly number[]): void {
    if (status === 0) this.unanswered += 1;
    else this.answered += 1;
    // 429 for a version that is not known yet and was requested very often.
    if ((status === 503 || status === 429) && retryAfter !== undefined) this.putOff += 1;
    else if (status !== 0 && !expected.includes(status)) this.wrong.push(`${request}: ${status}`);
  }

  /** Compares with the rows. Waits for unfinished work, up to a limit. */
  async compare(
    superuserUrl: string,
    deliveries: ReadonlySet<string>,
    milestones: readonly string[],
    patienceMs: number,
  ): Promise<Comparison> {
    const ledger = new DeliveryLedger(superuserUrl);
    const deliveriesLost = await ledger.listLost(deliveries, patienceMs);
    const stored = await withDedicatedClient(superuserUrl, async (client) => {
      const { rows } = await client.query<Upload & { count: number }>(
        `select version, pipeline, coalesce(run_url, '') as run, count(*)::int as count
         from evidence join release on release.id = release_id group by 1, 2, 3`,
      );
      return new Map(rows.map((row) => [toKey(row), row.count]));
    });
    return {
      deliveriesLost,
      uploadsLost: this.uploads.map(toKey).filter((key) => !stored.has(key)),
      // Each upload of the clients is unique, also those that were not acknowledged.
      uploadsDoubled: [...stored].filter(([, count]) => count > 1).map(([key]) => key),
      releasesMissing: await listMissing(superuserUrl, milestones, patienceMs),
      doubled: await ledger.countDoubled(),
    };
  }
}

const toKey = ({ version, pipeline, run }: Upload): string => `${version} ${pipeline} ${run}`;

/**
 * Waits, because a delivery that was not acknowledged is sent again after a search, so its release may be created late.
 */
async function listMissing(
  superuserUrl: string,
  milestones: readonly string[],
  patienceMs: number,
): Promise<readonly string[]> {
  for (const deadline = Date.now() + patienceMs; ; await sleep(POLL_INTERVAL_MS)) {
    const versions = await withDedicatedClient(superuserUrl, async (client) => {
      const { rows } = await client.query<{ version: string }>('select version from release');
      return new Set(rows.map(({ version }) => version));
    });
    const missing = milestones.filter((title) => !versions.has(title));
    if (missing.length === 0 || Date.now() > deadline) return missing;
  }
}
