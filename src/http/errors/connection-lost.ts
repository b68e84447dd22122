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
 * SQLSTATEs that say that Postgres is not there to be asked: connection exceptions (class 08), too many connections
 * (53300), shutting down, crashed or starting (57P01–57P03). Or that it did not come to answer in the time that the service
 * gives it: for a statement (57014), for a lock (55P03), or in a transaction whose next statement came too late (25P03).
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const LOST_CONNECTION_SQLSTATE = /^(?:08\w{3}|53300|57P0[1-3]|57014|55P03|25P03)$/;

/** Beginnings of what `pg` and its pool say where they give no code. */
const LOST_CONNECTION_SENTENCES = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Client has encountered a connection error',
];

const MAX_LAYERS = 5;

/** Whether a request died because the database or another service could not be reached, however libraries wrapped it. */
export function isConnectionLost(error: unknown): boolean {
  let layer = error;
  for (let depth = 0; depth < MAX_LAYERS && types.isNativeError(layer); depth++) {
    if (saysSo(layer)) return true;
    layer = layer.cause ?? ('driverError' in layer ? layer.driverError : undefined);
  }
  return false;
}

function saysSo(error: Error): boolean {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return (
    LOST_CONNECTION_CODES.has(code) ||
    LOST_CONNECTION_SQLSTATE.test(code) ||
    LOST_CONNECTION_SENTENCES.some((sentence) => error.message.startsWith(sentence))
  );
}
