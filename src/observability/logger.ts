import type { EventEmitter } from 'node:events';
import { types } from 'node:util';
import type { LoggerService } from '@nestjs/common';
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
  ignoreClosedOutput(process.stdout);
  return process.stdout.isTTY
    ? pino({ ...OPTIONS, level }, pretty({ sync: true }))
    : createLineLogger(level, process.stdout);
}

/** Writes JSON lines to `stream`. */
export function createLineLogger(level: LogLevel, stream: DestinationStream): Logger {
  return pino({ ...OPTIONS, level }, stream);
}

/** Whoever reads the log may go away before the service does: it then works on unheard, and still stops in order. */
export function ignoreClosedOutput(stream: EventEmitter): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

/** Parts of Nest that tell of modules and routes at a start, which is of interest to developers only. */
const START_UP_CONTEXTS = new Set([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);

/** Lets Nest, and what is written for it, log through the service's own logger. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    const context = rest.at(-1);
    this.write(typeof context === 'string' && START_UP_CONTEXTS.has(context) ? 'debug' : 'info', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  /** Nest passes the context last, and before it the stack of an error. */
  private write(
    level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal',
    message: unknown,
    rest: readonly unknown[],
  ): void {
    const context = rest.at(-1);
    const stack = rest.length > 1 && typeof rest[0] === 'string' ? rest[0] : undefined;
    const fields = { ...(typeof context === 'string' ? { context } : {}), ...(stack === undefined ? {} : { stack }) };
    if (types.isNativeError(message)) this.logger[level]({ ...fields, err: message }, message.message);
    else this.logger[level](fields, typeof message === 'string' ? message : JSON.stringify(message));
  }
}
