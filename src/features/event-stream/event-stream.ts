import type { ServerResponse } from 'node:http';
import type { OrgId } from '../../database/ids.js';
import type { StreamFrame } from './workspace-event.js';

/** The maximum unsent data of a slow reader. */
const BACKLOG_BYTES = 1024 * 1024;
/** How long a reader may take to receive missed events. */
const PATIENCE_MS = 15_000;
/** How long an ended stream may take to send its remaining data. */
const END_TIMEOUT_MS = 1_000;

/** The reader of a stream, with the session and the workspace that it depends on. */
export interface StreamReader {
  readonly orgId: OrgId;
  readonly userId: number;
  /** The hash of the session id, as hexadecimal digits. A buffer would take three times the memory. */
  readonly session: string;
}

/** The connection of one reader. Data that is sent after it has closed is dropped. */
export class EventStream {
  readonly #response: ServerResponse;
  /** The id of the last event that was sent or skipped. */
  lastSent = 0;

  constructor(
    readonly reader: StreamReader,
    /** Whether GitHub has confirmed which repositories the reader can read. If not, a private event may become visible later. */
    public knowsAccess: boolean,
    response: ServerResponse,
  ) {
    this.#response = response;
  }

  get isOpen(): boolean {
    return !this.#response.writableEnded && !this.#response.destroyed;
  }

  /** Calls the listener once when the connection closes, at once if the client left before the stream began. */
  onClose(listener: () => void): void {
    const response = this.#response;
    if (response.closed) return listener();
    if (response.socket !== null) {
      response.once('close', listener);
      return;
    }
    // Node before 24 does not close a response that still waits for the earlier responses of its connection.
    let isClosed = false;
    const close = (): void => {
      if (!isClosed) listener();
      isClosed = true;
    };
    response.once('close', close);
    response.req.socket.once('close', close);
  }

  /** Sends an encoded event. Closes the connection of a reader with too much unsent data; the client reconnects. */
  send(frame: StreamFrame): void {
    if (!this.isOpen) return;
    const { socket, chunkedEncoding } = this.#response;
    // The response would encode the chunk again for each reader. It has no socket before the earlier responses of the connection have ended.
    if (socket === null) this.#response.write(frame.bytes);
    // The client has closed its side of the connection.
    else if (!socket.writable) this.#response.destroy();
    else socket.write(chunkedEncoding ? frame.chunk : frame.bytes);
    if (this.#response.writableLength > BACKLOG_BYTES) this.#response.destroy();
  }

  /** Holds frames until `uncork`, so that they are sent in one packet. */
  cork(): void {
    this.#response.socket?.cork();
  }

  uncork(): void {
    this.#response.socket?.uncork();
  }

  /** Waits until everything is sent. Closes the connection if that takes too long. */
  async drained(): Promise<void> {
    const writer = this.#response.socket ?? this.#response;
    if (!this.isOpen || !writer.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        writer.off('drain', finish).off('close', finish);
        resolve();
      };
      const timer = setTimeout(() => this.#response.destroy(), PATIENCE_MS);
      writer.once('drain', finish).once('close', finish);
    });
  }

  /** Ends the stream after the data that was sent before. */
  end(): void {
    if (!this.isOpen) return;
    this.#response.end();
    // The client requests the remaining events when it reconnects.
    const timer = setTimeout(() => this.#response.destroy(), END_TIMEOUT_MS).unref();
    this.#response.once('close', () => clearTimeout(timer));
  }
}
