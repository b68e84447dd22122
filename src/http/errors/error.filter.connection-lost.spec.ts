import { describe, expect, it } from '@jest/globals';
import { isConnectionLost } from './error.filter.js';

const withCode = (code: string): Error => Object.assign(new Error('of no consequence'), { code });

describe('what could not be reached', () => {
  it.each([
    ['a refused connection', withCode('ECONNREFUSED')],
    ['a connection that ended', new Error('Connection terminated unexpectedly')],
    ['a pool without a free connection', new Error('timeout exceeded when trying to connect')],
    ['a database that crashed', withCode('57P02')],
    ['a database that starts', withCode('57P03')],
    ['a statement that took too long', withCode('57014')],
    ['a lock that was not to be had', withCode('55P03')],
    ['a transaction that stood still', withCode('25P03')],
    ['a cause below others', new Error('outer', { cause: new Error('inner', { cause: withCode('08006') }) })],
    ['what a library wrapped', Object.assign(new Error('outer'), { driverError: withCode('53300') })],
  ])('is known by %s', (_name, error) => {
    expect(isConnectionLost(error)).toBe(true);
  });

  it.each([
    ['a constraint that is broken', withCode('23505')],
    ['a statement that is wrong', withCode('42601')],
    ['a full disk', withCode('53100')],
    ['what is no error', { code: '57P02' }],
  ])('is not taken for %s', (_name, error) => {
    expect(isConnectionLost(error)).toBe(false);
  });
});
