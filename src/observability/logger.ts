import type { EventEmitter } from 'node:events';
import { format, types } from 'node:util';
import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { Logger as NestLog, type LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, type LoggerOptions, pino, stdTimeFunctions } from 'pino';
import pretty from 'pino-pretty';
import type { LogLevel } from '../config/environment.js';

/** The injection token of the service's logger. */
export const LOGGER = Symbol('logger');

/** Members that are removed from the log at any place. A line names the event and its subject, never the content. */
const SECRETS = ['authorization', 'cookie', 'password', 'pat', 'privateKey', 'secret', 'token', 'clientSecret'];

const OPTIONS: LoggerOptions = {
  base: null,
  timestamp: stdTimeFunctions.isoTime,
  formatters: { level: (label) => ({ level: label }) },
  serializers: { err: describeError },
  redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
};

/** Writes JSON lines to stdout, or readable lines if stdout is a terminal. */
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

/**
 * Ignores errors of a closed output. The reader of the log may stop before the service, which then continues without a log.
 */
export function ignoreClosedOutput(stream: EventEmitter): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

/** Writes warnings of Node and of libraries to the log. Node would print them to stderr as plain text. */
export function logProcessWarnings(log: Logger, source: EventEmitter = process): void {
  source.removeAllListeners('warning');
  source.on('warning', (err: Error) => log.warn({ err }, err.message));
}

/** Logs an error that no code handles. Node then prints it to stderr, also if the log has no reader, and ends the process. */
export function logUnhandledErrors(log: Logger): void {
  process.on('uncaughtExceptionMonitor', (err: unknown) =>
    log.fatal({ err }, 'The process ends, because no code handles an error.'),
  );
}

const CONSOLE_METHODS = ['debug', 'error', 'info', 'log', 'trace', 'warn'] as const;

/** Writes console output of libraries to the log of Nest, which is the log of the service. */
export function logConsole(log: Logger, target: Pick<Console, (typeof CONSOLE_METHODS)[number]> = console): void {
  // Used until the application is created, which has its own logger.
  NestLog.overrideLogger(new NestLogger(log));
  for (const method of CONSOLE_METHODS)
    target[method] = (...values: unknown[]) => NestLog.warn(format(...values), 'console');
}

/** Nest contexts that log modules and routes at the start, which only developers need. */
const START_UP_CONTEXTS = new Set([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);

/** Logs a line unless it follows from an outage, which is logged once. */
interface OutageLog {
  /** Returns whether the text of a library is about a lost connection. */
  mentionsOutage(text: string): boolean;
  noteLine(line: { readonly level: 'warn' | 'error'; readonly fields: object; readonly message: string }): void;
}

/** Sends the log of Nest and its libraries to the service's logger. */
export class NestLogger implements LoggerService {
  /** Null until the application is created. */
  outages: OutageLog | null = null;

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

  /** Nest passes the context as the last argument and the stack of an error before it. */
  private write(
    level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal',
    message: unknown,
    rest: readonly unknown[],
  ): void {
    const context = rest.at(-1);
    const stack = rest.length > 1 && typeof rest[0] === 'string' ? rest[0] : undefined;
    const fields = {
      ...(typeof context === 'string' ? { context } : {}),
      ...(stack === undefined ? {} : { stack: toSourcePositions(stack) }),
    };
    const isError = types.isNativeError(message);
    const text = isError ? message.message : typeof message === 'string' ? message : JSON.stringify(message);
    const all = isError ? { ...fields, err: message } : fields;
    if ((level === 'warn' || level === 'error') && this.outages?.mentionsOutage(text) === true)
      this.outages.noteLine({ level, fields: all, message: text });
    else this.logger[level](all, text);
  }
}

const MAX_CAUSES = 5;

interface ErrorDescription {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: ErrorDescription;
}

/**
 * Returns the loggable fields of an error by an allow-list, because drivers attach the parameters of the statement to
 * their errors and HTTP clients the headers of the request.
 */
function describeError(error: unknown, causesLeft = MAX_CAUSES): ErrorDescription {
  // Both tests are needed: one misses errors of another realm, the other those created without `new`.
  if (!types.isNativeError(error) && !(error instanceof Error))
    return { type: typeof error, message: 'A value that is not an error was thrown.' };
  const { name, message, stack, cause } = error;
  return {
    type: name,
    message,
    ...('code' in error && (typeof error.code === 'string' || typeof error.code === 'number')
      ? { code: String(error.code) }
      : {}),
    ...(stack === undefined ? {} : { stack: toSourcePositions(stack) }),
    ...(cause === undefined || causesLeft === 0 ? {} : { cause: describeError(cause, causesLeft - 1) }),
  };
}

/**
 * The position of a call in a stack: the address of a built file, its line and its column, which start at 1. The lengths are bounded, so
 * that a search takes linear time.
 */
const POSITION = /(file:\/\/[^\s()]{1,500}\.js):(\d{1,7}):(\d{1,7})/g;

/** The folder of the built files. */
const ROOT = new URL('../../', import.meta.url).href;

const maps = new Map<string, SourceMap | null>();

/**
 * Returns the stack with positions in the TypeScript sources. Reads the source map of a file when a stack names the file. Node's option
 * `--enable-source-maps` would keep the maps of all files in memory, also those of packages: 15 MB.
 */
export const toSourcePositions = (stack: string, root = ROOT): string =>
  stack.replaceAll(POSITION, (position, file: string, line: string, column: string) => {
    try {
      return findSource(new URL(file).href, root, Number(line), Number(column)) ?? position;
    } catch {
      // The position in the built file remains useful.
      return position;
    }
  });

function findSource(file: string, root: string, line: number, column: number): string | null {
  // The message of an error, which is part of its stack, may contain any address.
  if (!file.startsWith(root) || file.includes('/node_modules/')) return null;
  const entry = getSourceMap(file).findEntry(line - 1, column - 1);
  if (!('originalSource' in entry)) return null;
  return `${new URL(entry.originalSource, file).href}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}

/** Throws if the file has no map. */
function getSourceMap(file: string): SourceMap {
  const known = maps.get(file);
  if (known) return known;
  const map = new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`), 'utf8')) as SourceMapPayload);
  maps.set(file, map);
  return map;
}
