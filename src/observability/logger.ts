import type { EventEmitter } from 'node:events';
import { type DestinationStream, type Logger, type LoggerOptions, pino, stdTimeFunctions } from 'pino';
import pretty from 'pino-pretty';
import type { LogLevel } from '../config/environment.js';
import { describeError } from './error-description.js';

/** Token under which the service's logger is injected. */
export const LOGGER = Symbol('logger');

/** Members that never reach the log, wherever they stand: a line names what happened and to whom, never with what. */
const SECRETS = ['authorization', 'cookie', 'password', 'pat', 'privateKey', 'secret', 'token', 'clientSecret'];

const OPTIONS: LoggerOptions = {
  base: null,
  timestamp: stdTimeFunctions.isoTime,
  formatters: { level: (label) => ({ level: label }) },
  serializers: { err: describeError },
  redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
};

/** Writes JSON lines to stdout, or lines for people where stdout is a terminal. */
export function createLogger(level: LogLevel): Logger {
  outliveReader(process.stdout);
  return process.stdout.isTTY
    ? pino({ ...OPTIONS, level }, pretty({ sync: true }))
    : createLineLogger(level, process.stdout);
}

/** Writes JSON lines to `stream`. */
export function createLineLogger(level: LogLevel, stream: DestinationStream): Logger {
  return pino({ ...OPTIONS, level }, stream);
}

/** Whoever reads the log may go away before the service does: it then works on unheard, and still stops in order. */
export function outliveReader(stream: EventEmitter): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
