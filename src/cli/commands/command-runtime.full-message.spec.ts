import { expect, it } from '@jest/globals';
import { connect, type TcpNetConnectOpts } from 'node:net';
import { rootCauseMessage } from '../doctor/check-result.js';
import { fullMessage } from './command-runtime.js';

/** Node's error for a host with an address of each family, such as localhost, and no server. */
function rejection(): Promise<Error> {
  const lookup: TcpNetConnectOpts['lookup'] = (_host, _options, done) =>
    done(null, [
      { address: '127.0.0.1', family: 4 },
      { address: '127.0.0.2', family: 4 },
    ]);
  const socket = connect({ host: 'database.example', port: 1, lookup });
  return new Promise((resolve) => socket.once('error', resolve));
}

it('contains the error of each address of a host that cannot be reached', async () => {
  const error = await rejection();
  expect(error.message).toBe('');
  const each = 'connect ECONNREFUSED 127.0.0.1:1; connect ECONNREFUSED 127.0.0.2:1';
  expect(fullMessage(error)).toBe(each);
  expect(rootCauseMessage(error)).toBe(each);
  expect(rootCauseMessage(new Error('fetch failed', { cause: error }))).toBe(`fetch failed: ${each}`);
});

it('is the message of any other error', () => {
  expect(fullMessage(new Error('There is no key yet.'))).toBe('There is no key yet.');
  expect(fullMessage(new AggregateError([new Error('one')], 'Neither went well.'))).toBe('Neither went well.');
});
