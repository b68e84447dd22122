import { connect, type Socket } from 'node:net';
import { quantile } from './quantile.js';

const HEAD_END = '\r\n\r\n';
const LENGTH = /\r\ncontent-length: (\d+)\r\n/i;

/** A request and its only correct answer. */
export interface RequestSample {
  readonly request: string;
  /** The status line. */
  readonly status: string;
  /** The body. */
  readonly answer: string;
}

/** The result of one round. */
export interface Measurement {
  readonly requestsPerSecond: number;
  /** Milliseconds from the first byte of a request to the last byte of its answer. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export interface LoadSettings {
  readonly port: number;
  readonly connections: number;
  /** The time before the measurement starts. */
  readonly warmUpMs: number;
  readonly durationMs: number;
}

/**
 * Sends one request at a time on every connection. Rejects at the first wrong answer, because the speed of wrong answers
 * does not matter.
 */
export async function load(next: () => RequestSample, settings: LoadSettings): Promise<Measurement> {
  const begin = performance.now() + settings.warmUpMs;
  const end = begin + settings.durationMs;
  const latencies: number[] = [];
  const count = (sent: number, answered: number): void => {
    if (answered >= begin && answered < end) latencies.push(answered - sent);
  };
  await Promise.all(Array.from({ length: settings.connections }, () => sendUntil(end, settings.port, next, count)));
  latencies.sort((one, other) => one - other);
  return {
    requestsPerSecond: latencies.length / (settings.durationMs / 1_000),
    p50: quantile(latencies, 0.5),
    p95: quantile(latencies, 0.95),
    p99: quantile(latencies, 0.99),
  };
}

function sendUntil(
  end: number,
  port: number,
  next: () => RequestSample,
  count: (sent: number, answered: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const reader = new AnswerReader();
    let sample: RequestSample;
    let sent: number;
    const send = (): void => {
      sample = next();
      sent = performance.now();
      socket.write(sample.request, 'latin1');
    };
    socket.setEncoding('latin1');
    socket.once('connect', send);
    socket.on('data', (arrived: string) => {
      try {
        const answer = reader.read(arrived);
        if (answer === null) return;
        if (answer.status !== sample.status || answer.body !== sample.answer) {
          throw new Error(
            `Sent:\n${sample.request.slice(0, 1_000)}\nreceived: ${answer.status} ${answer.body}, not ${sample.answer}`,
          );
        }
        const answered = performance.now();
        count(sent, answered);
        if (answered < end) send();
        else socket.end();
      } catch (error) {
        socket.destroy(error as Error);
      }
    });
    socket.once('error', reject);
    socket.once('close', resolve);
  });
}

/** Splits the data of a connection into answers with a `content-length` header, which every answer of these servers has. */
class AnswerReader {
  #received = '';

  /** Returns the status line and the body if the answer is complete, otherwise null. */
  read(arrived: string): { readonly status: string; readonly body: string } | null {
    this.#received += arrived;
    const head = this.#received.indexOf(HEAD_END);
    if (head === -1) return null;
    const length = LENGTH.exec(this.#received)?.[1];
    if (length === undefined) throw new Error(`The answer has no length: ${this.#received}`);
    const end = head + HEAD_END.length + Number(length);
    if (this.#received.length < end) return null;
    if (this.#received.length > end) throw new Error(`There is more than one answer to a request: ${this.#received}`);
    const answer = this.#received;
    this.#received = '';
    return { status: answer.slice(0, answer.indexOf('\r\n')), body: answer.slice(head + HEAD_END.length) };
  }
}
