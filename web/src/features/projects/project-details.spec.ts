import { expect, it } from '@jest/globals';
import { findChanges } from './project-details.js';

const BEFORE = { name: 'Checkout 2', description: 'The new checkout.', targetDate: '2026-12-30' };

it('sends only the details that differ, also those that are removed', () => {
  expect(findChanges(BEFORE, { ...BEFORE, targetDate: null })).toEqual({ targetDate: null });
  expect(findChanges(BEFORE, { ...BEFORE, name: 'Checkout 3', description: null })).toEqual({
    name: 'Checkout 3',
    description: null,
  });
  expect(findChanges(BEFORE, BEFORE)).toEqual({});
});
