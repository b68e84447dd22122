import { types } from 'node:util';

/** Codes of Node for a host whose name was not found, so that no connection began. */
export const UNKNOWN_HOST_CODES: readonly string[] = ['ENOTFOUND', 'EAI_AGAIN'];
/** Also of a name that was not found: it may be found again, for example after a failover or an outage of DNS. */
const LOST_CONNECTION_CODES = [
  ...UNKNOWN_HOST_CODES,
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
];

/**
 * SQLSTATEs for an unavailable Postgres: connection exceptions (class 08), a full disk, no memory or too many
 * connections (53100, 53200, 53300), a read-only server (25006), shutting down, crashed, starting, a dropped
 * database or an ended session (57P01–57P05). Also for exceeded time limits of the service: of a statement (57014), of a lock (55P03), or
 * between the statements of a transaction (25P03).
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const LOST_CONNECTION_SQLSTATE = /^(?:08\w{3}|53[123]00|25006|57P0[1-5]|57014|55P03|25P03)$/;

/**
 * Matches the SQLSTATE and the message of a server that rejects the role, the password or the database at the begin of a
 * connection. An operator may correct this without a restart of the service.
 */
const REJECTED = /^(?:28\w{3}|3D000|42501 permission denied for database)/;

/**
 * Matches the codes of OpenSSL and Node for a certificate that is not accepted.
 * https://nodejs.org/api/tls.html#x509-certificate-error-codes
 */
const CERTIFICATE_CODE =
  /^(?:CERT_\w+|CRL_\w+|ERROR_IN_C\w+|UNABLE_TO_\w+|\w*SELF_SIGNED_CERT\w*|ERR_TLS_CERT_\w+|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)$/;
/** Matches the codes of OpenSSL and Node for other failures of TLS, also on a connection that had begun. */
const TLS_CODE = /^(?:ERR_SSL_\w+|ERR_TLS_\w+|EPROTO)$/;
/** The messages of `pg` for a server without TLS. */
const NO_TLS_SENTENCES = [
  'The server does not support SSL connections',
  'There was an error establishing an SSL connection',
];

/** The message of `pg` for a statement without an answer in time. The server may still execute it. */
const READ_TIMEOUT = 'Query read timeout';

/** The messages of the pool of `pg` for a caller that got no connection in time: all were in use, or a new one was not accepted. */
const NO_CONNECTION_IN_TIME = [
  'timeout exceeded when trying to connect',
  'Connection terminated due to connection timeout',
];

/** The beginnings of messages of `pg` and its pool that have no code. */
const LOST_CONNECTION_SENTENCES = [
  'Connection terminated',
  ...NO_CONNECTION_IN_TIME,
  'timeout expired',
  READ_TIMEOUT,
  'Client has encountered a connection error',
];

/** Matches text about a lost, a failed or a rejected connection. Libraries log errors as text. */
const LOST_CONNECTION_TEXT = new RegExp(
  [
    ...LOST_CONNECTION_CODES,
    'connection (?:terminated|error|ended|timeout)',
    'terminating connection',
    'lost the database',
    'timeout (?:exceeded|expired)',
    'read timeout',
    'database system is',
    'password authentication failed',
    'is not permitted to log in',
    'pg_hba\\.conf',
    'database "[^"]*" does not exist',
    'permission denied for database',
    'SSL connection',
    'EPROTO',
    'certificate',
  ].join('|'),
  'i',
);

const MAX_LAYERS = 5;

/**
 * Returns whether the error means that the database or another service was not reachable or rejected the connection, also if libraries
 * wrapped it.
 */
export function isConnectionLost(error: unknown): boolean {
  let layer = error;
  for (let depth = 0; depth < MAX_LAYERS && types.isNativeError(layer); depth++) {
    if (hasConnectionErrorCode(layer)) return true;
    layer = layer.cause ?? ('driverError' in layer ? layer.driverError : undefined);
  }
  return false;
}

/** Returns whether the server rejected the role, the password or the database. */
export const isConnectionRejected = (error: unknown): boolean =>
  types.isNativeError(error) && REJECTED.test(`${getCode(error)} ${error.message}`);

/** Returns whether TLS did not begin: the certificate is not accepted, or the server does not offer TLS. */
const isTlsRejected = (error: Error): boolean =>
  CERTIFICATE_CODE.test(getCode(error)) || NO_TLS_SENTENCES.some((sentence) => error.message.startsWith(sentence));

/** Returns whether TLS failed, for example because the certificate of the server has expired. */
export const isTlsFailure = (error: unknown): boolean =>
  types.isNativeError(error) && (isTlsRejected(error) || TLS_CODE.test(getCode(error)));

/** Returns whether no connection began, so that the server received no statement. */
export const isUnreached = (error: unknown): boolean =>
  types.isNativeError(error) &&
  (isConnectionRejected(error) ||
    isTlsRejected(error) ||
    [...UNKNOWN_HOST_CODES, 'ECONNREFUSED', '53300', '57P03'].includes(getCode(error)) ||
    NO_CONNECTION_IN_TIME.includes(error.message));

/** Returns whether a line of a log is about a lost, a failed or a rejected connection. */
export const mentionsLostConnection = (text: string): boolean => LOST_CONNECTION_TEXT.test(text);

const getCode = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : '');

function hasConnectionErrorCode(error: Error): boolean {
  const code = getCode(error);
  return (
    LOST_CONNECTION_CODES.includes(code) ||
    LOST_CONNECTION_SQLSTATE.test(code) ||
    isConnectionRejected(error) ||
    isTlsFailure(error) ||
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
