import { connect, type Socket } from 'node:net';
import { AnswerReader } from './answer-reader.js';
import { quantile } from './quantile.js';

/** One request, and the only answer to it that is right. */
export interface Question {
  readonly request: string;
  /** The status line. */
  readonly status: string;
  /** The body. */
  readonly answer: string;
}

/** What one round has shown. */
export interface Measurement {
  readonly requestsPerSecond: number;
  /** Milliseconds from the first byte of a request to the last of its answer. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export interface LoadSettings {
  readonly port: number;
  readonly connections: number;
  /** Before anything counts. */
  readonly warmUpMs: number;
  readonly durationMs: number;
}

/**
 * Keeps every connection busy with one request at a time. Rejects at the first answer that is not the right one: the
 * speed of wrong answers is of no interest.
 */
export async function load(next: () => Question, settings: LoadSettings): Promise<Measurement> {
  const begin = performance.now() + settings.warmUpMs;
  const end = begin + settings.durationMs;
  const latencies: number[] = [];
  const count = (sent: number, answered: number): void => {
    if (answered >= begin && answered < end) latencies.push(answered - sent);
  };
  await Promise.all(Array.from({ length: settings.connections }, () => askUntil(end, settings.port, next, count)));
  latencies.sort((one, other) => one - other);
  return {
    requestsPerSecond: latencies.length / (settings.durationMs / 1_000),
    p50: quantile(latencies, 0.5),
    p95: quantile(latencies, 0.95),
    p99: quantile(latencies, 0.99),
  };
}

function askUntil(
  end: number,
  port: number,
  next: () => Question,
  count: (sent: number, answered: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const reader = new AnswerReader();
    let question: Question;
    let sent: number;
    const ask = (): void => {
      question = next();
      sent = performance.now();
      socket.write(question.request, 'latin1');
    };
    socket.setEncoding('latin1');
    socket.once('connect', ask);
    socket.on('data', (arrived: string) => {
      try {
        const answer = reader.read(arrived);
        if (answer === null) return;
        if (answer.status !== question.status || answer.body !== question.answer) {
          throw new Error(
            `Asked:\n${question.request.slice(0, 1_000)}\nanswered: ${answer.status} ${answer.body}, not ${question.answer}`,
          );
        }
        const answered = performance.now();
        count(sent, answered);
        if (answered < end) ask();
        else socket.end();
      } catch (error) {
        socket.destroy(error as Error);
      }
    });
    socket.once('error', reject);
    socket.once('close', resolve);
  });
}
