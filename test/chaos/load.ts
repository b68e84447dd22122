import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CiAnswer, CiClient } from '../faults/ci-client.js';
import { CLOSED, OPEN } from '../faults/open-release.js';
import type { Host } from '../faults/start-github.js';
import type { RequestLedger } from './request-ledger.js';

/** A release gets uploads for this long, then the next one, so that no release grows without limit. */
const RELEASE_MS = 30_000;
const UPLOAD_PAUSE_MS = 700;
const GATE_PAUSE_MS = 150;
const EXPORT_PAUSE_MS = 4_000;
const ACTION_PAUSE_MS = 1_000;
const RETRY_PAUSE_MS = 200;
const EXPORT_LIMIT_MS = 30_000;

/** Another request uses the object at the moment, so the same request may succeed later. */
const IN_PROGRESS = 409;

/** The clients of the service. Each repeats one action, with pauses. */
export class Load {
  private readonly loops: readonly Promise<void>[];
  private isStopped = false;
  private number = 1000;
  private runs = 0;

  constructor(
    private readonly clients: {
      readonly ci: CiClient;
      readonly host: Host;
      readonly url: string;
      /** The cookie of a member, who reads lists and exports. */
      readonly cookie: string;
    },
    private readonly ledger: RequestLedger,
  ) {
    // Its test failed before the load began.
    ledger.close(CLOSED);
    this.loops = [
      this.rotateReleases(),
      this.changeVerdicts(),
      this.uploadRepeatedly(),
      this.pollGate(() => OPEN),
      this.pollGate(() => CLOSED),
      this.pollGate(() => this.version),
      this.readExports(),
      this.changeIssues(),
    ];
  }

  private get version(): string {
    return `v${this.number}.0.0`;
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all(this.loops);
  }

  private async rotateReleases(): Promise<void> {
    const { repository } = this.clients.host;
    for (repository.milestones.create({ title: this.version }); !this.isStopped;) {
      for (let waited = 0; waited < RELEASE_MS && !this.isStopped; waited += GATE_PAUSE_MS) await sleep(GATE_PAUSE_MS);
      repository.milestones.create({ title: `v${this.number + 1}.0.0` });
      this.number += 1;
    }
  }

  /** Lets the test of a release fail and pass alternately, each time in a later run. */
  private async changeVerdicts(): Promise<void> {
    for (let failed = 1; !this.isStopped; failed = 1 - failed) {
      const { version } = this;
      if (failed === 0) this.ledger.mayOpen(version);
      const isStored = await this.upload(version, 'build', failed);
      if (isStored && failed === 1) this.ledger.close(version);
      await sleep(UPLOAD_PAUSE_MS);
    }
  }

  private async uploadRepeatedly(): Promise<void> {
    for (let number = 1; !this.isStopped; number += 1, await sleep(UPLOAD_PAUSE_MS))
      await this.upload(this.version, `job-${number}`, 0);
  }

  /** Repeats the same upload until it is acknowledged or the release does not exist, as a CI run does. */
  private async upload(version: string, pipeline: string, failed: number): Promise<boolean> {
    const once = randomUUID();
    const run = `https://ci.example.com/runs/${(this.runs += 1)}`;
    for (; !this.isStopped; await sleep(RETRY_PAUSE_MS)) {
      const { status, retryAfter } = await this.clients.ci.upload(version, pipeline, { failed, run }, once);
      // 404 until the delivery of the milestone was processed.
      this.ledger.note('upload', status, retryAfter, [200, 201, 404, IN_PROGRESS]);
      if (status === 200 || status === 201) {
        this.ledger.uploads.push({ version, pipeline, run });
        return true;
      }
      if (status === 404 && version !== this.version) return false;
    }
    return false;
  }

  private async pollGate(getVersion: () => string): Promise<void> {
    for (; !this.isStopped; await sleep(GATE_PAUSE_MS)) {
      const version = getVersion();
      const take = this.ledger.beginGate(version);
      const { status, retryAfter, body }: CiAnswer = await this.clients.ci.gate(version);
      this.ledger.note(`gate of ${version}`, status, retryAfter, [200, 404]);
      take(body['can_deploy'] === true);
    }
  }

  /**
   * Reads an export and an unpaged list. Each must contain all releases with an upload that was acknowledged before.
   */
  private async readExports(): Promise<void> {
    const { url, cookie, host } = this.clients;
    const list = `/api/milestones/${host.repository.fullName}`;
    const paths = ['/api/quality/export?format=csv', list, '/api/history/export?format=csv'];
    for (let turn = 0; !this.isStopped; turn += 1, await sleep(EXPORT_PAUSE_MS)) {
      const path = paths[turn % paths.length] ?? list;
      const versions = new Set(this.ledger.uploads.map(({ version }) => version));
      const text = await this.read(`${url}${path}`, cookie);
      if (text === null) continue;
      this.ledger.exports += 1;
      if (path.includes('history')) continue;
      const missing = [...versions].filter((version) => !text.includes(version));
      if (missing.length > 0) this.ledger.incomplete.push(`${path} lacks ${missing.join(', ')}`);
    }
  }

  /** Returns the whole body, or null if it ended early or the status was another one. */
  private async read(url: string, cookie: string): Promise<string | null> {
    try {
      const signal = AbortSignal.timeout(EXPORT_LIMIT_MS);
      const response = await fetch(url, { headers: { cookie }, signal });
      const text = await response.text();
      const { status, headers } = response;
      this.ledger.note(new URL(url).pathname, status, headers.get('retry-after') ?? undefined, [200]);
      return status === 200 ? text : null;
    } catch {
      this.ledger.note(url, 0, undefined, []);
      return null;
    }
  }

  /** Opens and closes issues of the newest release. Some deliveries arrive twice or out of order. */
  private async changeIssues(): Promise<void> {
    const { outbox, repository } = this.clients.host;
    for (let turn = 0; !this.isStopped; turn += 1, await sleep(ACTION_PAUSE_MS)) {
      outbox.faults.next({ kind: turn % 2 === 0 ? 'duplicate' : 'reorder' });
      const milestone = repository.milestones.findByTitle(CLOSED);
      const open = repository.issues.list().find(({ state }) => state === 'open');
      if (open) repository.issues.close(open);
      else if (repository.issues.list().length < 20) repository.issues.create({ title: `Issue ${turn}`, milestone });
      else repository.issues.reopen(repository.issues.list()[turn % 20] ?? never());
    }
  }
}

function never(): never {
  throw new Error('There is no issue.');
}
