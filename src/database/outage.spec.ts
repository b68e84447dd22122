import { describe, expect, it } from '@jest/globals';
import {
  endsConnection,
  isConnectionLost,
  isConnectionRejected,
  isUnreached,
  mentionsLostConnection,
} from './outage.js';

const withCode = (code: string): Error => Object.assign(new Error('of no consequence'), { code });
const deniedDatabase = Object.assign(new Error('permission denied for database "shipgate"'), { code: '42501' });

describe('isConnectionLost', () => {
  it.each([
    ['a refused connection', withCode('ECONNREFUSED')],
    ['a network that cannot be reached', withCode('ENETUNREACH')],
    ['a host that cannot be reached', withCode('EHOSTUNREACH')],
    ['a host whose name is not known', withCode('ENOTFOUND')],
    ['a name that could not be looked up', withCode('EAI_AGAIN')],
    ['a rejected password', withCode('28P01')],
    ['a rejected role', withCode('28000')],
    ['a database that does not exist', withCode('3D000')],
    ['a database that denies access', deniedDatabase],
    ['an expired certificate', withCode('CERT_HAS_EXPIRED')],
    ['a certificate of an unknown authority', withCode('DEPTH_ZERO_SELF_SIGNED_CERT')],
    ['a certificate for another name', withCode('ERR_TLS_CERT_ALTNAME_INVALID')],
    ['a certificate for another purpose', withCode('INVALID_PURPOSE')],
    ['a failed TLS handshake', withCode('EPROTO')],
    ['a server without TLS', new Error('The server does not support SSL connections')],
    ['a dropped database', withCode('57P04')],
    ['a connection that ended', new Error('Connection terminated unexpectedly')],
    ['a pool without a free connection', new Error('timeout exceeded when trying to connect')],
    ['a database that crashed', withCode('57P02')],
    ['a database that starts', withCode('57P03')],
    ['a statement that took too long', withCode('57014')],
    ['a lock that was not available', withCode('55P03')],
    ['a full disk', withCode('53100')],
    ['a read-only server', withCode('25006')],
    ['a statement without an answer', new Error('Query read timeout')],
    ['an idle transaction', withCode('25P03')],
    ['a cause below others', new Error('outer', { cause: new Error('inner', { cause: withCode('08006') }) })],
    ['an error that a library wrapped', Object.assign(new Error('outer'), { driverError: withCode('53300') })],
  ])('returns true for %s', (_name, error) => {
    expect(isConnectionLost(error)).toBe(true);
  });

  it.each([
    ['a violated constraint', withCode('23505')],
    ['an invalid statement', withCode('42601')],
    ['a missing right to a table', Object.assign(new Error('permission denied for table release'), { code: '42501' })],
    ['a value that is no error', { code: '57P02' }],
  ])('returns false for %s', (_name, error) => {
    expect(isConnectionLost(error)).toBe(false);
  });
});

describe('a connection that did not begin', () => {
  it.each([
    ['28P01', withCode('28P01'), { isRejected: true, isUnreached: true }],
    ['28000', withCode('28000'), { isRejected: true, isUnreached: true }],
    ['3D000', withCode('3D000'), { isRejected: true, isUnreached: true }],
    ['42501 of the database', deniedDatabase, { isRejected: true, isUnreached: true }],
    ['ENOTFOUND', withCode('ENOTFOUND'), { isRejected: false, isUnreached: true }],
    ['EAI_AGAIN', withCode('EAI_AGAIN'), { isRejected: false, isUnreached: true }],
    ['ECONNREFUSED', withCode('ECONNREFUSED'), { isRejected: false, isUnreached: true }],
    ['CERT_HAS_EXPIRED', withCode('CERT_HAS_EXPIRED'), { isRejected: false, isUnreached: true }],
    ['57P03', withCode('57P03'), { isRejected: false, isUnreached: true }],
    [
      'no free connection of the pool',
      new Error('timeout exceeded when trying to connect'),
      { isRejected: false, isUnreached: true },
    ],
    [
      'no answer to a new connection of the pool',
      new Error('Connection terminated due to connection timeout'),
      { isRejected: false, isUnreached: true },
    ],
    ['53300', withCode('53300'), { isRejected: false, isUnreached: true }],
    // A connection that had begun can end with these.
    ['ECONNRESET', withCode('ECONNRESET'), { isRejected: false, isUnreached: false }],
    ['EHOSTUNREACH', withCode('EHOSTUNREACH'), { isRejected: false, isUnreached: false }],
    ['EPROTO', withCode('EPROTO'), { isRejected: false, isUnreached: false }],
    ['57P01', withCode('57P01'), { isRejected: false, isUnreached: false }],
  ])('is recognized: %s', (_name, error, expected) => {
    expect({ isRejected: isConnectionRejected(error), isUnreached: isUnreached(error) }).toEqual(expected);
  });
});

describe('mentionsLostConnection', () => {
  it.each([
    'Worker heartbeat failed: Error: Connection terminated unexpectedly',
    'Failed task: connect ECONNREFUSED 127.0.0.1:5432',
    'error: terminating connection due to administrator command',
    'The worker pool lost the database. A new pool replaces it.',
    'Error: timeout exceeded when trying to connect',
    'Worker heartbeat failed: Error: certificate has expired',
    'Error: unable to verify the first certificate',
    "Error: Hostname/IP does not match certificate's altnames: Host: db. is not in the cert's altnames",
    'error: the database system is starting up',
    'Worker heartbeat failed: Error: getaddrinfo ENOTFOUND db.internal',
    'connect ENETUNREACH 192.0.2.1:5432',
    'Worker heartbeat failed: error: password authentication failed for user "shipgate_app"',
    'error: role "shipgate_app" is not permitted to log in',
    'error: no pg_hba.conf entry for host "192.0.2.1", user "shipgate_app", database "shipgate", no encryption',
    'error: database "shipgate" does not exist',
    'error: permission denied for database "shipgate"',
  ])('returns true for: %s', (text) => {
    expect(mentionsLostConnection(text)).toBe(true);
  });

  it('returns false for other text', () => {
    expect(mentionsLostConnection('relation "release" does not exist')).toBe(false);
  });
});

describe('endsConnection', () => {
  it.each([
    ['a read-only server', withCode('25006'), true],
    ['a statement without an answer', new Error('Query read timeout'), true],
    ['a full disk', withCode('53100'), false],
    ['a statement that took too long', withCode('57014'), false],
  ])('decides for %s', (_name, error, ends) => {
    expect(endsConnection(error)).toBe(ends);
  });
});
