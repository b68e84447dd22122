import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { CiAnswer, CiClient } from './ci-client.js';
import { CLOSED, OPEN } from './open-release.js';

const PAUSE_MS = 10;

/** The responses to CI while parts failed. */
export interface CiReport {
  /** Requests that were answered. */
  readonly answered: number;
  /** The number of responses with 503 and a retry time. */
  readonly putOff: number;
  /** Uploads that were acknowledged. */
  readonly uploads: number;
  /** Acknowledged uploads that are not stored, and those that are stored twice. */
  readonly uploadsLost: number;
  readonly uploadsDoubled: number;
  /** Responses that CI must never get, and requests without a response. */
  readonly wrong: readonly string[];
}

/** Uploads evidence, and requests the gates of an open and of a closed release, all the time, as CI runs do. */
export class CiStream {
  private readonly wrong: string[] = [];
  private readonly acknowledged = new Set<string>();
  private readonly loops: Promise<void>[];
  private answered = 0;
  private putOff = 0;
  private isStopped = false;

  /** `isAway` returns whether the database is unavailable at the moment. */
  constructor(
    private readonly ci: CiClient,
    private readonly isAway: () => boolean = () => false,
  ) {
    this.loops = [this.pollGate(OPEN), this.pollGate(CLOSED), this.uploadRepeatedly()];
  }

  async stop(superuserUrl: string): Promise<CiReport> {
    this.isStopped = true;
    await Promise.all(this.loops);
    const stored = await withDedicatedClient(superuserUrl, async (client) => {
      const { rows } = await client.query<{ pipeline: string; pieces: string }>(
        `select pipeline, count(*) as pieces from evidence where pipeline like 'stream-%' group by pipeline`,
      );
      return new Map(rows.map(({ pipeline, pieces: chunks }) => [pipeline, Number(chunks)]));
    });
    const { answered, putOff, wrong } = this;
    return {
      answered,
      putOff,
      uploads: this.acknowledged.size,
      uploadsLost: [...this.acknowledged].filter((pipeline) => !stored.has(pipeline)).length,
      uploadsDoubled: [...stored.values()].filter((items) => items > 1).length,
      wrong,
    };
  }

  private async pollGate(version: string): Promise<void> {
    for (; !this.isStopped; await sleep(PAUSE_MS)) {
      const wasAway = this.isAway();
      const answer = await this.ci.gate(version);
      this.note(`gate of ${version}`, answer);
      const isYes = answer.body['can_deploy'] === true;
      if (isYes && version === CLOSED) this.wrong.push('a yes for a release whose test failed');
      // Unavailable before and after the request: the answer cannot come from the database.
      if (isYes && wasAway && this.isAway()) this.wrong.push('an open gate without the database');
    }
  }

  private async uploadRepeatedly(): Promise<void> {
    for (let number = 1; !this.isStopped; number += 1) {
      const [pipeline, once] = [`stream-${number}`, randomUUID()];
      let status = 503;
      // As a run does that gets a retry time: it repeats the same upload until it is accepted.
      for (; status === 503 && !this.isStopped; await sleep(PAUSE_MS)) {
        const answer = await this.ci.upload(CLOSED, pipeline, { failed: 0 }, once);
        this.note('upload', answer);
        ({ status } = answer);
      }
      if (status === 200 || status === 201) this.acknowledged.add(pipeline);
    }
  }

  private note(what: string, { status, retryAfter, body }: CiAnswer): void {
    if (status === 0) this.wrong.push(`${what}: no answer`);
    else this.answered += 1;
    if (status === 503 && retryAfter !== undefined) this.putOff += 1;
    else if (status !== 0 && status !== 200 && status !== 201)
      this.wrong.push(`${what}: ${status} ${JSON.stringify(body)}`);
  }
}
