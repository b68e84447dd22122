import { types } from 'node:util';

const LOST_CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EAI_AGAIN',
]);

/**
 * SQLSTATEs for an unavailable Postgres: connection exceptions (class 08), a full disk, no memory or too many
 * connections (53100, 53200, 53300), a read-only server (25006), shutting down, crashed, starting or an ended session
 * (57P01–57P03, 57P05). Also for exceeded time limits of the service: of a statement (57014), of a lock (55P03), or
 * between the statements of a transaction (25P03).
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const LOST_CONNECTION_SQLSTATE = /^(?:08\w{3}|53[123]00|25006|57P0[1235]|57014|55P03|25P03)$/;

/** The message of `pg` for a statement without an answer in time. The server may still execute it. */
const READ_TIMEOUT = 'Query read timeout';

/** The beginnings of messages of `pg` and its pool that have no code. */
const LOST_CONNECTION_SENTENCES = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'timeout expired',
  READ_TIMEOUT,
  'Client has encountered a connection error',
];

const MAX_LAYERS = 5;

/**
 * Returns whether the error means that the database or another service was not reachable, also if libraries wrapped it.
 */
export function isConnectionLost(error: unknown): boolean {
  let layer = error;
  for (let depth = 0; depth < MAX_LAYERS && types.isNativeError(layer); depth++) {
    if (hasConnectionErrorCode(layer)) return true;
    layer = layer.cause ?? ('driverError' in layer ? layer.driverError : undefined);
  }
  return false;
}

function hasConnectionErrorCode(error: Error): boolean {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return (
    LOST_CONNECTION_CODES.has(code) ||
    LOST_CONNECTION_SQLSTATE.test(code) ||
    LOST_CONNECTION_SENTENCES.some((sentence) => error.message.startsWith(sentence))
  );
}

/** The SQLSTATE of a full disk. */
export const DISK_FULL = '53100';
/** The SQLSTATE of a write on a read-only server, such as a former primary. */
export const READ_ONLY = '25006';

/**
 * Returns whether the connection must not be used again: its answer is still missing, or its server accepts no writes any
 * more, so that a new connection may find another server.
 */
export const endsConnection = (error: unknown): boolean =>
  types.isNativeError(error) && (('code' in error && error.code === READ_ONLY) || error.message === READ_TIMEOUT);
