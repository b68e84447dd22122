import { describe, expect, it } from '@jest/globals';
import { ConcurrentAnswers } from './concurrent-answers.js';

const [ADA, BOB] = [1, 2];

describe('ConcurrentAnswers', () => {
  it('counts answers per user until they have ended', () => {
    const answers = new ConcurrentAnswers(2);
    const [first] = [answers.begin(ADA), answers.begin(ADA)];
    expect([answers.isFull(ADA), answers.isFull(BOB)]).toEqual([true, false]);
    first();
    expect(answers.isFull(ADA)).toBe(false);
    answers.begin(ADA);
    expect(answers.isFull(ADA)).toBe(true);
  });
});
