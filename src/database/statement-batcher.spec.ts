import { describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { StatementBatcher } from './statement-batcher.js';

interface Batch {
  readonly questions: readonly number[];
  readonly answer: (answers: readonly string[]) => void;
  readonly fail: (error: Error) => void;
}

/** Batches whose answers the test gives, in the order in which they were sent. */
function given(bounds?: { readonly underWay: number; readonly largest: number }) {
  const sent: Batch[] = [];
  const batches = new StatementBatcher(
    (questions: readonly number[]) =>
      new Promise<readonly string[]>((answer, fail) => sent.push({ questions, answer, fail })),
    bounds,
  );
  return { batches, sent };
}

const toName = (question: number): string => `answer ${question}`;

/** Sends four batches of one question each, which is as many as may be under way. */
async function occupy(batches: StatementBatcher<number, string>): Promise<Promise<string>[]> {
  const asked: Promise<string>[] = [];
  for (const question of [1, 2, 3, 4]) {
    asked.push(batches.submit(question));
    await nextTurn();
  }
  return asked;
}

describe('StatementBatches', () => {
  it('asks a question that comes alone at once', async () => {
    const { batches, sent } = given();
    const asked = batches.submit(7);
    await nextTurn();
    expect(sent.map(({ questions }) => questions)).toEqual([[7]]);
    sent[0]!.answer(['seven']);
    expect(await asked).toBe('seven');
  });

  it('asks together what came in one turn, and gives each question its own answer', async () => {
    const { batches, sent } = given();
    const asked = [3, 1, 2].map((question) => batches.submit(question));
    await nextTurn();
    expect(sent.map(({ questions }) => questions)).toEqual([[3, 1, 2]]);
    sent[0]!.answer(['three', 'one', 'two']);
    expect(await Promise.all(asked)).toEqual(['three', 'one', 'two']);
  });

  it('lets questions gather while four batches are under way, and sends them when one has ended', async () => {
    const { batches, sent } = given();
    const first = await occupy(batches);
    const later = [5, 6, 7].map((question) => batches.submit(question));
    await nextTurn();
    expect(sent).toHaveLength(4);
    sent[2]!.answer([toName(3)]);
    expect(await first[2]).toBe(toName(3));
    await nextTurn();
    expect(sent.map(({ questions }) => questions)).toEqual([[1], [2], [3], [4], [5, 6, 7]]);
    sent[4]!.answer([5, 6, 7].map(toName));
    expect(await Promise.all(later)).toEqual([5, 6, 7].map(toName));
  });

  it('puts at most 32 questions into a batch', async () => {
    const { batches, sent } = given();
    const asked = Array.from({ length: 70 }, (_, question) => batches.submit(question));
    await nextTurn();
    expect(sent.map(({ questions }) => questions.length)).toEqual([32, 32, 6]);
    for (const { questions, answer } of sent) answer(questions.map(toName));
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 70 }, (_, question) => toName(question)));
  });

  it('keeps to other bounds where it was given some', async () => {
    const { batches, sent } = given({ underWay: 1, largest: 2 });
    const asked = [1, 2, 3].map((question) => batches.submit(question));
    await nextTurn();
    expect(sent.map(({ questions }) => questions)).toEqual([[1, 2]]);
    sent[0]!.answer([1, 2].map(toName));
    expect(await Promise.all(asked.slice(0, 2))).toEqual([1, 2].map(toName));
    await nextTurn();
    expect(sent.map(({ questions }) => questions)).toEqual([[1, 2], [3]]);
    sent[1]!.answer([toName(3)]);
    expect(await asked[2]).toBe(toName(3));
  });

  it('asks each question of a failed batch again by itself, so that one fails no other', async () => {
    const { batches, sent } = given();
    const asked = [1, 2].map((question) => batches.submit(question));
    await nextTurn();
    sent[0]!.fail(new Error('the statement was cancelled'));
    await nextTurn();
    expect(sent.map(({ questions }) => questions)).toEqual([[1, 2], [1], [2]]);
    sent[1]!.fail(new Error('it is this one'));
    sent[2]!.answer(['two']);
    await expect(asked[0]).rejects.toThrow('it is this one');
    expect(await asked[1]).toBe('two');
  });

  it('goes on with others after a question that failed', async () => {
    const { batches, sent } = given();
    const first = await occupy(batches);
    const later = batches.submit(5);
    sent[0]!.fail(new Error('the connection was lost'));
    await expect(first[0]).rejects.toThrow('the connection was lost');
    await nextTurn();
    expect(sent[4]?.questions).toEqual([5]);
    sent[4]!.answer(['five']);
    expect(await later).toBe('five');
  });

  it('takes no answer from a batch that was answered in part', async () => {
    const { batches, sent } = given();
    const asked = [1, 2].map((question) => batches.submit(question));
    await nextTurn();
    sent[0]!.answer(['one']);
    await nextTurn();
    sent[1]!.answer([]);
    sent[2]!.answer(['two']);
    await expect(asked[0]).rejects.toThrow(new TypeError('A batch was answered in part.'));
    expect(await asked[1]).toBe('two');
  });
});
