import { describe, expect, it } from '@jest/globals';
import { endsConnection, isConnectionLost } from './outage.js';

const withCode = (code: string): Error => Object.assign(new Error('of no consequence'), { code });

describe('isConnectionLost', () => {
  it.each([
    ['a refused connection', withCode('ECONNREFUSED')],
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
    ['a value that is no error', { code: '57P02' }],
  ])('returns false for %s', (_name, error) => {
    expect(isConnectionLost(error)).toBe(false);
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
