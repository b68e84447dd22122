import { describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { StatementBatcher } from './statement-batcher.js';

interface Batch {
  readonly inputs: readonly number[];
  readonly answer: (answers: readonly string[]) => void;
  readonly fail: (error: Error) => void;
}

/** Collects the batches in the order in which they were sent. The test answers each of them. */
function given(bounds?: { readonly concurrency: number; readonly largest: number }) {
  const sent: Batch[] = [];
  const batches = new StatementBatcher(
    (inputs: readonly number[]) =>
      new Promise<readonly string[]>((answer, fail) => sent.push({ inputs, answer, fail })),
    bounds,
  );
  return { batches, sent };
}

const toName = (input: number): string => `answer ${input}`;

/** Sends four batches of one input each, which is the maximum number of concurrent batches. */
async function occupy(batches: StatementBatcher<number, string>): Promise<Promise<string>[]> {
  const answers: Promise<string>[] = [];
  for (const input of [1, 2, 3, 4]) {
    answers.push(batches.submit(input));
    await nextTurn();
  }
  return answers;
}

describe('StatementBatcher', () => {
  it('sends a single input without delay', async () => {
    const { batches, sent } = given();
    const answers = batches.submit(7);
    await nextTurn();
    expect(sent.map(({ inputs }) => inputs)).toEqual([[7]]);
    sent[0]!.answer(['seven']);
    expect(await answers).toBe('seven');
  });

  it('sends the inputs of one turn together, and returns to each its own answer', async () => {
    const { batches, sent } = given();
    const answers = [3, 1, 2].map((input) => batches.submit(input));
    await nextTurn();
    expect(sent.map(({ inputs }) => inputs)).toEqual([[3, 1, 2]]);
    sent[0]!.answer(['three', 'one', 'two']);
    expect(await Promise.all(answers)).toEqual(['three', 'one', 'two']);
  });

  it('collects inputs while four batches are running, and sends them when one has ended', async () => {
    const { batches, sent } = given();
    const first = await occupy(batches);
    const later = [5, 6, 7].map((input) => batches.submit(input));
    await nextTurn();
    expect(sent).toHaveLength(4);
    sent[2]!.answer([toName(3)]);
    expect(await first[2]).toBe(toName(3));
    await nextTurn();
    expect(sent.map(({ inputs }) => inputs)).toEqual([[1], [2], [3], [4], [5, 6, 7]]);
    sent[4]!.answer([5, 6, 7].map(toName));
    expect(await Promise.all(later)).toEqual([5, 6, 7].map(toName));
  });

  it('sends at most 32 inputs in a batch', async () => {
    const { batches, sent } = given();
    const answers = Array.from({ length: 70 }, (_, input) => batches.submit(input));
    await nextTurn();
    expect(sent.map(({ inputs }) => inputs.length)).toEqual([32, 32, 6]);
    for (const { inputs, answer } of sent) answer(inputs.map(toName));
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 70 }, (_, input) => toName(input)));
  });

  it('uses other limits if they are given', async () => {
    const { batches, sent } = given({ concurrency: 1, largest: 2 });
    const answers = [1, 2, 3].map((input) => batches.submit(input));
    await nextTurn();
    expect(sent.map(({ inputs }) => inputs)).toEqual([[1, 2]]);
    sent[0]!.answer([1, 2].map(toName));
    expect(await Promise.all(answers.slice(0, 2))).toEqual([1, 2].map(toName));
    await nextTurn();
    expect(sent.map(({ inputs }) => inputs)).toEqual([[1, 2], [3]]);
    sent[1]!.answer([toName(3)]);
    expect(await answers[2]).toBe(toName(3));
  });

  it('sends each input of a failed batch again separately, so that one does not fail the others', async () => {
    const { batches, sent } = given();
    const answers = [1, 2].map((input) => batches.submit(input));
    await nextTurn();
    sent[0]!.fail(new Error('the statement was cancelled'));
    await nextTurn();
    expect(sent.map(({ inputs }) => inputs)).toEqual([[1, 2], [1], [2]]);
    sent[1]!.fail(new Error('it is this one'));
    sent[2]!.answer(['two']);
    await expect(answers[0]).rejects.toThrow('it is this one');
    expect(await answers[1]).toBe('two');
  });

  it.each([
    ['got no answer', 'Query read timeout'],
    ['got no free connection', 'timeout exceeded when trying to connect'],
    ['got no new connection', 'Connection terminated due to connection timeout'],
  ])('does not send the inputs again if the batch %s, so that no caller waits twice', async (_, message) => {
    const { batches, sent } = given();
    const answers = [1, 2].map((input) => batches.submit(input));
    await nextTurn();
    sent[0]!.fail(new Error(message));
    await expect(answers[0]).rejects.toThrow(message);
    await expect(answers[1]).rejects.toThrow(message);
    await nextTurn();
    expect(sent).toHaveLength(1);
  });

  it('continues with other inputs after a failure', async () => {
    const { batches, sent } = given();
    const first = await occupy(batches);
    const later = batches.submit(5);
    sent[0]!.fail(new Error('the connection was lost'));
    await expect(first[0]).rejects.toThrow('the connection was lost');
    await nextTurn();
    expect(sent[4]?.inputs).toEqual([5]);
    sent[4]!.answer(['five']);
    expect(await later).toBe('five');
  });

  it('sends the inputs of a batch with too few answers again separately', async () => {
    const { batches, sent } = given();
    const answers = [1, 2].map((input) => batches.submit(input));
    await nextTurn();
    sent[0]!.answer(['one']);
    await nextTurn();
    sent[1]!.answer([]);
    sent[2]!.answer(['two']);
    await expect(answers[0]).rejects.toThrow(new TypeError('A batch was answered in part.'));
    expect(await answers[1]).toBe('two');
  });
});
