import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import type { CiAnswer, CiClient } from './ci-client.js';
import { CLOSED, OPEN } from './open-release.js';

const PAUSE_MS = 10;

/** What CI was told while things broke. */
export interface CiReport {
  /** Requests that were answered. */
  readonly answered: number;
  /** Of those, with 503 and a time to come back. */
  readonly putOff: number;
  /** Uploads that were acknowledged. */
  readonly uploads: number;
  /** Uploads that were acknowledged and are not there, or are there twice. */
  readonly uploadsLost: number;
  readonly uploadsDoubled: number;
  /** Everything that CI must never be told, or left without. */
  readonly wrong: readonly string[];
}

/** Uploads evidence and asks the gate of an open release and of a closed one, all the time, as CI runs do. */
export class CiStream {
  private readonly wrong: string[] = [];
  private readonly acknowledged = new Set<string>();
  private readonly loops: Promise<void>[];
  private answered = 0;
  private putOff = 0;
  private isStopped = false;

  /** `isAway` tells whether nothing can be known at this moment. */
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
      // Away before and after: whatever it was answered from, it was not the database.
      if (isYes && wasAway && this.isAway()) this.wrong.push('a yes that rests on nothing');
    }
  }

  private async uploadRepeatedly(): Promise<void> {
    for (let number = 1; !this.isStopped; number += 1) {
      const [pipeline, once] = [`stream-${number}`, randomUUID()];
      let status = 503;
      // As a run does that was told to come back: the same upload, until it is taken.
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
