import { describe, expect, it } from '@jest/globals';
import { formatTestName } from '../../../domain/quality/test-results.js';
import { type TestName, TestSuite } from './test-suite.js';

/** The name of a test by its suites and its own name. */
function nameOf(...steps: readonly string[]): TestName {
  const suite = steps.slice(0, -1).reduce((outer, step) => outer.within(step), TestSuite.createRoot());
  return suite.nameTest(steps.at(-1) ?? '');
}

const displayedName = ({ suites, test }: TestName): string => formatTestName(suites, test);

describe('the name of a test', () => {
  it.each([
    ['its suites, its class and itself', ['cart', 'CartTest', 'adds'], 'cart › CartTest › adds'],
    ['its parts that are neither empty nor repeated', ['', 'cart', 'cart', ' ', 'adds'], 'cart › adds'],
    ['a repeated part after another part', ['cart', 'adds', 'cart'], 'cart › adds › cart'],
    ['itself, even if its suite has the same name', ['cart', 'cart'], 'cart › cart'],
    ['its suites alone if it has no name', ['cart', ' '], 'cart'],
    ['a placeholder if all parts are empty', ['', ' \n'], 'a test without a name'],
    ['one line', ['cart', ' adds\r\n  two\t\u2028items\u00a0'], 'cart › adds two items'],
    ['no control characters', ['a\u0000b\u001b[31m\u009fc'], 'a b [31m c'],
    ['no lone surrogates', ['a\ud800b', 'c\udc00'], 'a b › c'],
    ['any script', ['Warenkörbe', '買い物 🛒'], 'Warenkörbe › 買い物 🛒'],
  ])('is built from %s', (_what, steps, name) => {
    expect(displayedName(nameOf(...steps))).toBe(name);
  });

  it.each([
    '/home/runner/work/payments/payments/src/cart.test.js',
    '/__w/payments/payments/src/cart.test.js',
    'D:\\a\\payments\\payments\\src\\cart.test.js',
  ])('does not depend on the folder of the project: %s', (path) => {
    expect(nameOf(path)).toMatchObject({
      id: nameOf('payments/src/cart.test.js').id,
      test: 'payments/src/cart.test.js',
    });
  });

  it.each([
    '/api/admin/users/list answers',
    'src/deep/down/cart.test.js',
    '/',
    'C:',
    '//',
    'Tests\\Unit\\Shop\\CartTest',
  ])('preserves a text that is not an absolute file path: %s', (step) => {
    expect(displayedName(nameOf(step))).toBe(step);
  });

  it('begins with the project of the tool', () => {
    const suite = TestSuite.createRoot().within('cart.spec.ts').within('cart');
    const test = suite.nameTest('adds');
    expect(displayedName(suite.nameInProject(test, 'chromium'))).toBe('chromium › cart.spec.ts › cart › adds');
    expect(suite.nameInProject(test, ' ')).toEqual(test);
  });

  it('is shortened where it is long, and shows the end that differs', () => {
    const { suites, test } = nameOf('s'.repeat(400), 't'.repeat(400));
    expect(suites).toMatch(/^s{283}…[\da-f]{16}$/);
    expect(test).toMatch(/^t{180}…[\da-f]{16}$/);
    expect(displayedName(nameOf('s'.repeat(300), 't'.repeat(197)))).toBe(`${'s'.repeat(300)} › ${'t'.repeat(197)}`);
  });

  it('is not cut through a character', () => {
    expect(nameOf(`${'n'.repeat(179)}🛒${'n'.repeat(100)}`).test).toMatch(/^n{179}…[\da-f]{16}$/);
  });
});

describe('the id of a test', () => {
  const long = 'n'.repeat(1_000);

  it.each<[string, TestName, TestName]>([
    ['the border between suite and test', nameOf('a', 'b › c'), nameOf('a › b', 'c')],
    ['a suite that has the name of its test', nameOf('cart', 'cart'), nameOf('cart')],
    ['a suite and a test of one name', nameOf('a', 'b', ''), nameOf('a', 'b')],
    ['the order of the suites', nameOf('a', 'b', 'c'), nameOf('b', 'a', 'c')],
    ['the end of a long name', nameOf(`${long}a`), nameOf(`${long}b`)],
    ['the end of a long suite', nameOf(`${long}a`, 'c'), nameOf(`${long}b`, 'c')],
    ['an inner suite of a long suite', nameOf(long, 'a', 'c'), nameOf(long, 'b', 'c')],
    ['the spelling', nameOf('Adds'), nameOf('adds')],
    ['accents', nameOf('café'), nameOf('cafe\u0301')],
  ])('distinguishes tests by %s', (_what, one, other) => {
    expect(one.id).not.toBe(other.id);
    expect([one.suites, one.test]).not.toEqual([other.suites, other.test]);
  });

  it('distinguishes the projects of a test, and a project from a suite', () => {
    const suite = TestSuite.createRoot().within('cart');
    const test = suite.nameTest('adds');
    const ids = ['chromium', 'firefox'].map((project) => suite.nameInProject(test, project).id);
    expect(new Set([...ids, test.id, nameOf('chromium', 'cart', 'adds').id]).size).toBe(4);
  });

  it('has 32 hexadecimal digits and is the same in every report', () => {
    expect(nameOf('cart', 'adds').id).toMatch(/^[\da-f]{32}$/);
    expect(nameOf('cart', 'adds').id).toBe(nameOf('cart', ' adds\n').id);
  });
});
