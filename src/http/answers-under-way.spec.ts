import { describe, expect, it } from '@jest/globals';
import { AnswersUnderWay } from './answers-under-way.js';

const [ADA, BOB] = [1, 2];

describe('AnswersUnderWay', () => {
  it('counts answers per user until they have ended', () => {
    const answers = new AnswersUnderWay(2);
    const [first] = [answers.begin(ADA), answers.begin(ADA)];
    expect([answers.isFull(ADA), answers.isFull(BOB)]).toEqual([true, false]);
    first();
    expect(answers.isFull(ADA)).toBe(false);
    answers.begin(ADA);
    expect(answers.isFull(ADA)).toBe(true);
  });
});
