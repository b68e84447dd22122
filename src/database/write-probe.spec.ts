import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { WriteProbe } from './write-probe.js';

const withCode = (code: string): Error => Object.assign(new Error('of no consequence'), { code });

describe('the write probe', () => {
  let writes: boolean[];
  let outcome: () => Promise<void>;
  let probe: WriteProbe;

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    writes = [];
    outcome = () => Promise.resolve();
    probe = new WriteProbe((needsSpace) => {
      writes.push(needsSpace);
      return outcome();
    });
  });
  afterEach(() => mock.timers.reset());

  /** Lets time pass, after the work in progress has set its timers, and waits for the work that they start. */
  async function later(milliseconds: number): Promise<void> {
    await nextTurn();
    mock.timers.tick(milliseconds);
    await nextTurn();
  }

  it.each([
    ['53100', 'its disk is full'],
    ['25006', 'it is read-only'],
    ['53300', 'it has no free connection'],
    ['28P01', 'it rejects the role or its password'],
    ['28000', 'it rejects the role or its password'],
    ['3D000', 'it does not exist'],
    ['42501', 'it denies access to the role'],
    ['ENOTFOUND', 'the name of its host is not known'],
    ['EAI_AGAIN', 'the name of its host is not known'],
    ['08006', 'it does not answer'],
  ])('names the reason of %s', async (code, problem) => {
    outcome = () => Promise.reject(withCode(code));
    expect(await probe.findProblem()).toBe(problem);
  });

  it('writes at most once a second for any number of calls', async () => {
    await Promise.all([probe.findProblem(), probe.findProblem()]);
    await later(900);
    expect(await probe.findProblem()).toBeNull();
    expect(writes).toEqual([false]);
    await later(200);
    await probe.findProblem();
    expect(writes).toEqual([false, false]);
  });

  it('needs new space after an error of a full disk, until a write succeeds', async () => {
    probe.note(withCode('23505'));
    probe.note(withCode('53100'));
    outcome = () => Promise.reject(withCode('53100'));
    await probe.findProblem();
    await later(1_100);
    outcome = () => Promise.resolve();
    await probe.findProblem();
    await later(1_100);
    await probe.findProblem();
    expect(writes).toEqual([true, true, false]);
  });

  it('does not wait for a write without an answer, and waits before it sends another one', async () => {
    outcome = () => new Promise(() => undefined);
    const problem = probe.findProblem();
    await later(1_500);
    expect(await problem).toBe('it does not answer');
    await later(3_000);
    await probe.findProblem();
    expect(writes).toHaveLength(1);
    await later(500);
    await later(1_000);
    void probe.findProblem();
    expect(writes).toHaveLength(2);
  });
});
