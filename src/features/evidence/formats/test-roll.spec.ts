import { describe, expect, it } from '@jest/globals';
import { TestRoll } from './test-roll.js';

/** The name that a roll gives to a test. */
function nameOf(...steps: readonly string[]): string {
  const roll = new TestRoll();
  roll.add(steps, 'passed');
  const [test] = roll.tests;
  if (test === undefined) throw new Error('the roll is empty');
  return test.name;
}

describe('the name of a test', () => {
  it.each([
    ['its suites, its class and itself', ['cart', 'CartTest', 'adds'], 'cart › CartTest › adds'],
    ['what says something', ['', 'cart', 'cart', ' ', 'adds'], 'cart › adds'],
    ['what it is called twice, where something lies between', ['cart', 'adds', 'cart'], 'cart › adds › cart'],
    ['a word for nothing', ['', ' \n'], 'a test without a name'],
    ['one line', ['cart', ' adds\r\n  two\t\u2028items\u00a0'], 'cart › adds two items'],
    ['no control characters', ['a\u0000b\u001b[31m\u009fc'], 'a b [31m c'],
    ['no halves of characters', ['a\ud800b', 'c\udc00'], 'a b › c'],
    ['any script', ['Warenkörbe', '買い物 🛒'], 'Warenkörbe › 買い物 🛒'],
  ])('is made of %s', (_what, steps, name) => {
    expect(nameOf(...steps)).toBe(name);
  });

  it.each([
    '/home/runner/work/payments/payments/src/cart.test.js',
    '/__w/payments/payments/src/cart.test.js',
    'D:\\a\\payments\\payments\\src\\cart.test.js',
  ])('is the same wherever the project lies: %s', (path) => {
    expect(nameOf(path, 'adds')).toBe('payments/src/cart.test.js › adds');
  });

  it.each([
    '/api/admin/users/list answers',
    'src/deep/down/cart.test.js',
    '/',
    'C:',
    '//',
    'Tests\\Unit\\Shop\\CartTest',
  ])('keeps what is no absolute path of a file: %s', (step) => {
    expect(nameOf(step)).toBe(step);
  });

  it('is cut where it is long, and still tells long names apart', () => {
    const [first, second] = [nameOf('n'.repeat(600)), nameOf(`${'n'.repeat(599)}m`)];
    expect(first).toMatch(/^n{483}…[\da-f]{16}$/);
    expect(second).toHaveLength(500);
    expect(second).not.toBe(first);
    expect(nameOf('n'.repeat(500))).toBe('n'.repeat(500));
  });

  it('is not cut through a character', () => {
    expect(nameOf(`${'n'.repeat(482)}🛒${'n'.repeat(100)}`)).toMatch(/^n{482}…[\da-f]{16}$/);
  });
});

describe('a test that occurs twice', () => {
  it.each([
    ['passed', 'failed', 'failed'],
    ['failed', 'passed', 'failed'],
    ['failed', 'flaky', 'failed'],
    ['flaky', 'passed', 'flaky'],
    ['passed', 'flaky', 'flaky'],
    ['skipped', 'passed', 'passed'],
    ['skipped', 'failed', 'failed'],
    ['skipped', 'skipped', 'skipped'],
  ] as const)('%s and %s, is on the roll once, as %s', (first, second, outcome) => {
    const roll = new TestRoll();
    roll.add(['adds'], first);
    roll.add(['adds'], second);
    expect(roll.tests).toEqual([{ name: 'adds', outcome }]);
  });
});

describe('a long roll', () => {
  const LIMITS = { tests: 3, characters: 20 };

  it('is cut, says so, and still learns of the tests that it has', () => {
    const roll = new TestRoll(LIMITS);
    for (const name of ['a', 'b', 'c', 'd', 'e']) roll.add([name], 'passed');
    roll.add(['b'], 'failed');
    expect(roll.tests.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual(['a passed', 'b failed', 'c passed']);
    expect(roll.notes).toEqual(['only the first 3 tests are kept by name; all are counted']);
  });

  it('is cut where its names are long', () => {
    const roll = new TestRoll(LIMITS);
    for (const name of ['a', 'b'.repeat(19), 'c']) roll.add([name], 'passed');
    expect(roll.tests).toHaveLength(2);
    expect(roll.notes).toHaveLength(1);
  });

  it('says nothing while it is whole', () => {
    const roll = new TestRoll(LIMITS);
    for (const name of ['a', 'b', 'c']) roll.add([name], 'passed');
    expect(roll.notes).toEqual([]);
  });
});
