import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { DomainError } from '../errors/domain-error.js';
import type { ConnectionTimings } from '../open-connections.js';

interface Arrival {
  readonly beganAt: number;
  /** When it has to be there whole, however steadily it comes. */
  deadline: number;
  /** When the last byte came, or would have been taken. */
  heardAt: number;
  bytesRead: number;
  /** In how many pieces its bytes came, as the sender framed them or the network cut them. */
  pieces: number;
  bytes: number;
  /** Ends the reading with an answer; null while nobody reads. */
  refuse: ((reason: DomainError) => void) | null;
}

/**
 * A body of more pieces than the first has to hold as many bytes as the second in each, on average: to take a piece in costs what
 * thousands of bytes cost, and a megabyte in chunks of one byte would keep everybody waiting for seconds.
 */
const FREE_PIECES = 4_096;
const LEAST_PIECE_BYTES = 64;

const CLOSING = { Connection: 'close' };

const tooSlow = (): DomainError =>
  new DomainError('too_slow', 'The body took too long to arrive.', { headers: CLOSING });
const tooManyPieces = (): DomainError =>
  new DomainError('invalid', `The body comes in pieces of less than ${LEAST_PIECE_BYTES} bytes.`, { headers: CLOSING });
const stopping = (): DomainError =>
  new DomainError('unavailable', 'The service is stopping, and nothing of this was kept: send it again.', {
    retryAfterSeconds: 1,
    headers: CLOSING,
  });

/**
 * Holds the senders of bodies to their time: each has to keep arriving, and to be there in the end. Node's own timeout knows
 * one time for every request, and uploads of those who were let in need more than anybody else may take.
 */
export class ArrivingBodies {
  readonly #arrivals = new Map<IncomingMessage, Arrival>();
  /** When bodies have to be there that are still coming while the service stops. */
  #end = Number.POSITIVE_INFINITY;

  constructor(private readonly timings: ConnectionTimings) {}

  /** Watches every body that the server is sent from now on. */
  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (request, _reply, done) => {
      const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
      if (length !== '0' || encoding !== undefined) this.#add(request.raw);
      done();
    });
    const timer = setInterval(() => this.#look(), this.timings.checkMs).unref();
    fastify.addHook('preClose', (done) => {
      this.#end = performance.now() + this.timings.stoppingMs;
      done();
    });
    fastify.addHook('onClose', (_instance, done) => {
      clearInterval(timer);
      done();
    });
  }

  /** Gives the body the time of an upload: its sender was let in with one. */
  admitUpload(raw: IncomingMessage): void {
    const arrival = this.#arrivals.get(raw);
    if (arrival) arrival.deadline = arrival.beganAt + this.timings.uploadMs;
  }

  /**
   * What `reading` makes of the body; rejects with `too_slow` where the body does not come in time, and with `unavailable`
   * where the service stops meanwhile.
   */
  async read<T>(raw: IncomingMessage, reading: () => Promise<T>): Promise<T> {
    const arrival = this.#arrivals.get(raw);
    if (!arrival) return reading();
    return new Promise<T>((resolve, reject) => {
      arrival.refuse = reject;
      // What is still sent after an answer is nobody's to refuse any more, and is cut off.
      void reading()
        .then(resolve, reject)
        .finally(() => (arrival.refuse = null));
    });
  }

  #add(raw: IncomingMessage): void {
    const now = performance.now();
    const arrival: Arrival = {
      beganAt: now,
      deadline: now + this.timings.requestMs,
      heardAt: now,
      bytesRead: raw.socket.bytesRead,
      pieces: 0,
      bytes: 0,
      refuse: null,
    };
    this.#arrivals.set(raw, arrival);
    this.#countPieces(raw, arrival);
    raw.once('close', () => this.#arrivals.delete(raw));
  }

  /** Where Node hands them over: who reads slowly is given many of them as one. */
  #countPieces(raw: IncomingMessage, arrival: Arrival): void {
    const push = raw.push.bind(raw);
    raw.push = (piece: Buffer | null, encoding) => {
      arrival.pieces += 1;
      arrival.bytes += piece?.length ?? 0;
      if (arrival.pieces > FREE_PIECES && arrival.bytes < arrival.pieces * LEAST_PIECE_BYTES) {
        raw.push = push;
        this.#giveUp(raw, arrival, tooManyPieces());
      }
      return push(piece, encoding);
    };
  }

  #look(): void {
    const now = performance.now();
    for (const [raw, arrival] of this.#arrivals) {
      if (raw.complete || raw.destroyed) this.#arrivals.delete(raw);
      else if (now > this.#end) this.#giveUp(raw, arrival, stopping());
      else if (now > arrival.deadline || this.#isSilent(raw, arrival, now)) this.#giveUp(raw, arrival, tooSlow());
    }
  }

  #isSilent({ socket, readableFlowing, readableLength }: IncomingMessage, arrival: Arrival, now: number): boolean {
    // While nobody takes its bytes it is not the sender who is silent.
    const isTaken = readableFlowing !== null && readableLength === 0;
    if (socket.bytesRead !== arrival.bytesRead || !isTaken) {
      arrival.bytesRead = socket.bytesRead;
      arrival.heardAt = now;
    }
    return now - arrival.heardAt > this.timings.bodyIdleMs;
  }

  #giveUp(raw: IncomingMessage, { refuse }: Arrival, reason: DomainError): void {
    this.#arrivals.delete(raw);
    // The answer closes the connection. Where nobody reads the body there is no answer to wait for, or it was given.
    if (refuse) refuse(reason);
    else raw.socket.destroy();
  }
}
