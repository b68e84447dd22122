import { afterEach, expect, it, jest } from '@jest/globals';
import { readServiceEnvironment } from './command-runtime.js';

const before = { ...process.env };

afterEach(() => {
  process.env = { ...before };
  jest.restoreAllMocks();
});

it('ends a command like the service if the environment is invalid, with every problem', () => {
  Object.assign(process.env, { PORT: 'x', ROLE: 'captain' });
  let received = '';
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
    received += String(text);
    return true;
  });
  const exit = jest.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Error(`ended with ${String(code)}`);
  });
  expect(readServiceEnvironment).toThrow('ended with 78');
  expect(exit).toHaveBeenCalledTimes(1);
  expect(received).toBe(
    'The environment is not valid:\n' +
      '  - PORT must be a port from 0 to 65535; 0 takes a free one\n' +
      '  - ROLE must be one of all, web, worker\n',
  );
});
