import { describe, expect, it } from '@jest/globals';
import { inspect } from 'node:util';
import { PersonalToken } from './token-scope.js';

describe('a personal access token', () => {
  const secret = 'ghp_0123456789abcdef0123456789abcdef0123';
  const token = new PersonalToken(secret);

  it('returns its secret only from `reveal`', () => {
    expect(token.reveal()).toBe(secret);
  });

  it.each<[string, (visible: object) => string]>([
    ['as text', ({ ...visible }) => Object.values(visible).map(String).join()],
    ['as JSON', (visible) => JSON.stringify(visible)],
    ['to a console', (visible) => inspect(visible, { depth: 5, showHidden: true })],
  ])('does not show its secret %s', (_, show) => {
    expect(show({ token })).toContain('[a personal access token]');
    expect(show({ token })).not.toContain('ghp_');
  });
});
