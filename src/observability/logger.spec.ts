import { spawnSync } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, afterAll, beforeAll } from '@jest/globals';
import { createLineLogger, NestLogger, ignoreClosedOutput, toSourcePositions } from './logger.js';

function capture(level: 'info' | 'debug' = 'info') {
  const written: string[] = [];
  const log = createLineLogger(level, { write: (line) => void written.push(line) });
  return { log, lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

describe('a log line', () => {
  it('is JSON with a level, a time and a message', () => {
    const { log, lines } = capture();
    log.info({ url: 'http://127.0.0.1:3000' }, 'listening');
    expect(lines()).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        url: 'http://127.0.0.1:3000',
        msg: 'listening',
      },
    ]);
  });

  it('never contains a secret at any depth', () => {
    const { log, lines } = capture();
    log.info({ token: 'hunter2', request: { authorization: 'hunter2', headers: { cookie: 'hunter2' } } }, 'x');
    expect(lines()).toMatchObject([
      { token: '[redacted]', request: { authorization: '[redacted]', headers: { cookie: '[redacted]' } } },
    ]);
  });

  it('contains name, message, code, stack and causes of an error, and no other properties', () => {
    const { log, lines } = capture();
    const cause = Object.assign(new Error('duplicate key'), { code: '23505', parameters: ['hunter2'] });
    log.error({ err: Object.assign(new TypeError('Query failed', { cause }), { query: 'hunter2' }) }, 'failed');
    expect(lines()).toEqual([
      expect.objectContaining({
        level: 'error',
        err: {
          type: 'TypeError',
          message: 'Query failed',
          stack: expect.any(String),
          cause: { type: 'Error', message: 'duplicate key', code: '23505', stack: expect.any(String) },
        },
      }),
    ]);
    expect(JSON.stringify(lines())).not.toContain('hunter2');
  });

  it('contains an error that is its own cause', () => {
    const { log, lines } = capture();
    const error = new Error('round');
    error.cause = error;
    log.error({ err: error }, 'failed');
    expect(lines()).toHaveLength(1);
  });

  it('reports a thrown value that is no error', () => {
    const { log, lines } = capture();
    log.error({ err: 'hunter2' }, 'failed');
    expect(lines()[0]?.['err']).toEqual({ type: 'string', message: 'A value that is not an error was thrown.' });
  });
});

describe("Nest's logger", () => {
  it("writes the messages of the service, and hides those of Nest's startup at this level", () => {
    const { log, lines } = capture();
    const nest = new NestLogger(log);
    nest.log('Mapped {/api, GET} route', 'RouterExplorer');
    nest.log('A credential was refused.', 'AccessGuard');
    nest.warn('mind this', 'Part');
    nest.error('broke', 'Error: broke\n  at x', 'Part');
    nest.error(new Error('whole'), 'Part');
    nest.fatal({ a: 1 });
    nest.debug('quiet');
    nest.verbose('quieter');
    expect(lines().map(({ level, msg, context, stack }) => ({ level, msg, context, stack }))).toEqual([
      { level: 'info', msg: 'A credential was refused.', context: 'AccessGuard', stack: undefined },
      { level: 'warn', msg: 'mind this', context: 'Part', stack: undefined },
      { level: 'error', msg: 'broke', context: 'Part', stack: 'Error: broke\n  at x' },
      { level: 'error', msg: 'whole', context: 'Part', stack: undefined },
      { level: 'fatal', msg: '{"a":1}', context: undefined, stack: undefined },
    ]);
    expect(lines()[3]?.['err']).toMatchObject({ type: 'Error', message: 'whole' });
  });

  it('passes a warning about an outage to the outage watch', () => {
    const { log, lines } = capture();
    const nest = new NestLogger(log);
    const noted: unknown[] = [];
    nest.outages = {
      mentionsOutage: (text) => text.includes('lost'),
      noteLine: (line) => void noted.push(line),
    };
    nest.warn('the connection is lost', 'Part');
    nest.warn('mind this', 'Part');
    nest.log('nothing is lost', 'Part');
    expect(noted).toEqual([{ level: 'warn', fields: { context: 'Part' }, message: 'the connection is lost' }]);
    expect(lines().map(({ msg }) => msg)).toEqual(['mind this', 'nothing is lost']);
  });
});

describe('logConsole, logProcessWarnings and logUnhandledErrors', () => {
  it('log what Node and libraries would print as plain text', () => {
    const script = `
      const { createLogger, logConsole, logProcessWarnings, logUnhandledErrors } = await import('./src/observability/logger.ts');
      const log = createLogger('info');
      logConsole(log);
      logProcessWarnings(log);
      console.trace(new Error('Failed %s'));
      process.emitWarning('Line one.\\nLine two.', { type: 'DeprecationWarning', code: 'DEP1' });
      logUnhandledErrors(log);
      setImmediate(() => Promise.reject(new TypeError('Nobody handles this.')));
      setTimeout(() => console.log('The process did not end.'), 1_000);`;
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      ['--import', './test/support/typescript.mjs', '--input-type=module', '-e', script],
      { encoding: 'utf8' },
    );
    expect(stderr).toMatch(/^\S+\n.*TypeError: Nobody handles this/s);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      expect.objectContaining({ level: 'warn', context: 'console', msg: expect.stringMatching(/^Error: Failed %s\n/) }),
      expect.objectContaining({
        level: 'warn',
        msg: 'Line one.\nLine two.',
        err: expect.objectContaining({ type: 'DeprecationWarning', code: 'DEP1' }),
      }),
      expect.objectContaining({
        level: 'fatal',
        err: expect.objectContaining({ type: 'TypeError', message: 'Nobody handles this.' }),
      }),
    ]);
    expect(status).toBe(1);
  });
});

describe('ignoreClosedOutput', () => {
  it('does not stop the process when the output is closed', () => {
    const stream = new PassThrough();
    ignoreClosedOutput(stream);
    expect(() => stream.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))).not.toThrow();
  });

  it('throws any other failure', () => {
    const stream = new PassThrough();
    ignoreClosedOutput(stream);
    expect(() => stream.emit('error', Object.assign(new Error('no space'), { code: 'ENOSPC' }))).toThrow('no space');
  });
});

describe('a stack in the log', () => {
  let folder = '';
  let file = '';

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'shipgate-positions-'));
    file = pathToFileURL(join(folder, 'run.js')).href;
    // The mapping says: line 1, column 1 of the built file is line 11, column 3 of the source.
    const map = { version: 3, file: 'run.js', sources: ['../src/run.ts'], names: [], mappings: 'AAUE' };
    writeFileSync(join(folder, 'run.js.map'), JSON.stringify(map));
    writeFileSync(join(folder, 'damaged.js.map'), '{');
    writeFileSync(join(folder, 'wrong.js.map'), JSON.stringify({ ...map, sources: ['http://'] }));
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  const source = (): string => new URL('../src/run.ts', file).href;
  const toPositions = (stack: string): string => toSourcePositions(stack, new URL('./', file).href);

  it('names the TypeScript source of each call', () => {
    const stack = `Error: no\n    at run (${file}:1:1)\n    at async ${file}:1:5`;
    expect(toPositions(stack)).toBe(`Error: no\n    at run (${source()}:11:3)\n    at async ${source()}:11:3`);
  });

  it.each(['missing.js', 'damaged.js', 'wrong.js'])(
    'names the built file if its map cannot be read or is wrong: %s',
    (name) => {
      const stack = `Error: no\n    at run (${new URL(name, file).href}:1:1)`;
      expect(toPositions(stack)).toBe(stack);
    },
  );

  it('reads no map outside of the built files, which a message may name', () => {
    const [outside, escaping] = [`${file}:1:1`, `${file.replace('run.js', 'part/../../run.js')}:1:1`];
    expect(toSourcePositions(outside, new URL('./part', file).href)).toBe(outside);
    expect(toPositions(escaping)).toBe(escaping);
    expect(toPositions('file://host/run.js:1:1')).toBe('file://host/run.js:1:1');
  });

  it('takes linear time', () => {
    const long = 'file://'.repeat(200_000);
    expect(toPositions(long)).toBe(long);
  });
});
