import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { DomainError } from '../errors/domain-error.js';
import type { ConnectionTimings } from '../open-connections.js';

interface ArrivingBody {
  readonly beganAt: number;
  /** The time at which the body must be complete, even if it arrives steadily. */
  deadline: number;
  /** The time of the last byte, or of the last check while the server did not read. */
  lastByteAt: number;
  bytesRead: number;
  /** The number of chunks, as the sender framed them or the network split them. */
  chunks: number;
  bytes: number;
  /** Rejects the read, so that the request is answered. Null while no code reads the body. */
  reject: ((reason: DomainError) => void) | null;
}

/**
 * A body of more than `FREE_CHUNKS` chunks must have at least `MIN_CHUNK_BYTES` bytes per chunk on average. One chunk
 * costs as much time as thousands of bytes, and a megabyte in chunks of one byte would delay all other requests for
 * seconds.
 */
const FREE_CHUNKS = 4_096;
const MIN_CHUNK_BYTES = 64;

const CLOSING = { Connection: 'close' };

const tooSlow = (): DomainError =>
  new DomainError('too_slow', 'The body took too long to arrive.', { headers: CLOSING });
const tooManyChunks = (): DomainError =>
  new DomainError('invalid', `The body arrives in chunks of less than ${MIN_CHUNK_BYTES} bytes. Send larger chunks.`, {
    headers: CLOSING,
  });
const stopping = (): DomainError =>
  new DomainError('unavailable', 'The service is stopping and has stored nothing of this request. Send it again.', {
    retryAfterSeconds: 1,
    headers: CLOSING,
  });

/**
 * Limits the time in which request bodies arrive: each must keep arriving and must be complete by its deadline. Node's
 * own timeout is the same for every request, but authorized uploads need more time than other requests may have.
 */
export class ArrivingBodies {
  readonly #bodies = new Map<IncomingMessage, ArrivingBody>();
  /** The deadline of all bodies once the service stops. */
  #end = Number.POSITIVE_INFINITY;

  constructor(private readonly timings: ConnectionTimings) {}

  /** Watches the body of every request from now on. */
  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (request, _reply, done) => {
      const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
      if (length !== '0' || encoding !== undefined) this.#add(request.raw);
      done();
    });
    const timer = setInterval(() => this.#check(), this.timings.checkMs).unref();
    fastify.addHook('preClose', (done) => {
      this.#end = performance.now() + this.timings.stoppingMs;
      done();
    });
    fastify.addHook('onClose', (_instance, done) => {
      clearInterval(timer);
      done();
    });
  }

  /** Extends the deadline to that of an upload, because the sender is authorized to upload. */
  admitUpload(raw: IncomingMessage): void {
    const body = this.#bodies.get(raw);
    if (body) body.deadline = body.beganAt + this.timings.uploadMs;
  }

  /**
   * Returns the result of `reading`. Rejects with `too_slow` if the body does not arrive in time, and with
   * `unavailable` if the service stops meanwhile.
   */
  async read<T>(raw: IncomingMessage, reading: () => Promise<T>): Promise<T> {
    const body = this.#bodies.get(raw);
    if (!body) return reading();
    return new Promise<T>((resolve, reject) => {
      body.reject = reject;
      // After an answer there is no read left to reject. The rest of the body is cut off.
      void reading()
        .then(resolve, reject)
        .finally(() => (body.reject = null));
    });
  }

  #add(raw: IncomingMessage): void {
    const now = performance.now();
    const body: ArrivingBody = {
      beganAt: now,
      deadline: now + this.timings.requestMs,
      lastByteAt: now,
      bytesRead: raw.socket.bytesRead,
      chunks: 0,
      bytes: 0,
      reject: null,
    };
    this.#bodies.set(raw, body);
    this.#countChunks(raw, body);
    raw.once('close', () => this.#bodies.delete(raw));
  }

  /** Counts the chunks where Node receives them, because a slow reader gets many of them as one. */
  #countChunks(raw: IncomingMessage, body: ArrivingBody): void {
    const push = raw.push.bind(raw);
    raw.push = (chunk: Buffer | null, encoding) => {
      body.chunks += 1;
      body.bytes += chunk?.length ?? 0;
      if (body.chunks > FREE_CHUNKS && body.bytes < body.chunks * MIN_CHUNK_BYTES) {
        raw.push = push;
        this.#giveUp(raw, body, tooManyChunks());
      }
      return push(chunk, encoding);
    };
  }

  #check(): void {
    const now = performance.now();
    for (const [raw, body] of this.#bodies) {
      if (raw.complete || raw.destroyed) this.#bodies.delete(raw);
      else if (now > this.#end) this.#giveUp(raw, body, stopping());
      else if (now > body.deadline || this.#isIdle(raw, body, now)) this.#giveUp(raw, body, tooSlow());
    }
  }

  #isIdle({ socket, readableFlowing, readableLength }: IncomingMessage, body: ArrivingBody, now: number): boolean {
    // The sender is not idle while the server does not read.
    const isRead = readableFlowing !== null && readableLength === 0;
    if (socket.bytesRead !== body.bytesRead || !isRead) {
      body.bytesRead = socket.bytesRead;
      body.lastByteAt = now;
    }
    return now - body.lastByteAt > this.timings.bodyIdleMs;
  }

  #giveUp(raw: IncomingMessage, { reject }: ArrivingBody, reason: DomainError): void {
    this.#bodies.delete(raw);
    // The answer closes the connection. Without a reader there is no answer to wait for, or it was already sent.
    if (reject) reject(reason);
    else raw.socket.destroy();
  }
}
