import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readCommandLine, exitWithUsageError, exitWithUsage } from './command-runtime.js';

const USAGE = 'Does it.\n\n  npm run it -- [--name NAME]\n';

class Ended extends Error {}

describe('the command line', () => {
  const gateAnswer = { stdout: '', stderr: '' };
  let code: number | undefined;

  beforeEach(() => {
    gateAnswer.stdout = gateAnswer.stderr = '';
    code = undefined;
    for (const name of ['stdout', 'stderr'] as const) {
      jest.spyOn(process[name], 'write').mockImplementation((text) => {
        gateAnswer[name] += String(text);
        return true;
      });
    }
    jest.spyOn(process, 'exit').mockImplementation((given) => {
      code = Number(given);
      throw new Ended();
    });
  });
  afterEach(() => void jest.restoreAllMocks());

  const read = (...args: string[]) =>
    readCommandLine(USAGE, { args, allowPositionals: true, options: { name: { type: 'string' } } });

  it('is parsed into options and other arguments', () => {
    expect(read('--name', 'ada', 'file')).toMatchObject({ values: { name: 'ada' }, positionals: ['file'] });
    expect([code, gateAnswer]).toEqual([undefined, { stdout: '', stderr: '' }]);
  });

  it.each([
    ['an unknown option', ['--unknown'], "Unknown option '--unknown'"],
    ['an option without its value', ['--name'], "Option '--name <value>' argument missing"],
  ])('is rejected with a message and the usage for %s', (_, args, sentence) => {
    expect(() => read(...args)).toThrow(Ended);
    expect(gateAnswer.stderr.startsWith(sentence)).toBe(true);
    expect(gateAnswer.stderr.endsWith(`\n\n${USAGE}`)).toBe(true);
    expect([code, gateAnswer.stdout]).toEqual([64, '']);
  });

  it('prints its usage to stdout on request, and to stderr after an error', () => {
    expect(() => exitWithUsage(USAGE)).toThrow(Ended);
    expect([code, gateAnswer]).toEqual([0, { stdout: USAGE, stderr: '' }]);
    gateAnswer.stdout = '';
    expect(() => exitWithUsageError(USAGE, '--name is needed.')).toThrow(Ended);
    expect([code, gateAnswer]).toEqual([64, { stdout: '', stderr: `--name is needed.\n\n${USAGE}` }]);
  });
});
