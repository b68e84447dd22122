import type { ServerResponse } from 'node:http';
import type { Viewer } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';

/** What may wait for a reader who does not read. */
const BACKLOG_BYTES = 1024 * 1024;
/** How long a reader may take to read what they missed. */
const PATIENCE_MS = 15_000;
/** How long a stream that was ended may take to be sent what was left of it. */
const END_TIMEOUT_MS = 1_000;

/** For whom a stream is, and what it rests on. */
export interface StreamReader {
  readonly orgId: OrgId;
  readonly userId: number;
  /** The digest of the session's id. */
  readonly session: Buffer;
  /** The member's eyes at the moment when they came. */
  readonly viewer: Viewer;
}

/** One reader's connection. What is sent after it has closed is dropped. */
export class EventStream {
  readonly #response: ServerResponse;
  /** The last event that the reader was sent, or need not be sent any more. */
  lastSent = 0;
  /** The code host has said what the reader may read: a private event that they may not be told now they may be told later. */
  knowsAccess: boolean;

  constructor(
    readonly reader: StreamReader,
    response: ServerResponse,
  ) {
    this.#response = response;
    this.knowsAccess = reader.viewer.userId === reader.userId;
  }

  get isOpen(): boolean {
    return !this.#response.writableEnded && !this.#response.destroyed;
  }

  onClose(listener: () => void): void {
    this.#response.once('close', listener);
  }

  /** Sends bytes that others are sent too. A reader for whom too much waits is cut off: they come back and ask for the rest. */
  send(frame: Buffer): void {
    if (!this.isOpen) return;
    this.#response.write(frame);
    if (this.#response.writableLength > BACKLOG_BYTES) this.#response.destroy();
  }

  /** Waits until the reader has been sent everything; cuts off who takes too long. */
  async drained(): Promise<void> {
    if (!this.isOpen || !this.#response.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        this.#response.off('drain', finish).off('close', finish);
        resolve();
      };
      const timer = setTimeout(() => this.#response.destroy(), PATIENCE_MS);
      this.#response.once('drain', finish).once('close', finish);
    });
  }

  /** Says that this was all, after what was sent before. */
  end(): void {
    if (!this.isOpen) return;
    this.#response.end();
    // What the reader does not take in time is theirs to ask for again.
    const timer = setTimeout(() => this.#response.destroy(), END_TIMEOUT_MS).unref();
    this.#response.once('close', () => clearTimeout(timer));
  }
}
