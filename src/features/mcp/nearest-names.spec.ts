import { describe, expect, it } from '@jest/globals';
import { nearestNames } from './nearest-names.js';

describe('the nearest names', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['1.4.0', ['v1.3.0', 'v1.4.0', 'v2.0.0'], ['v1.4.0']],
    ['V1.4.0', ['v1.4.0'], ['v1.4.0']],
    ['v1.4', ['v1.4.0', 'v3.7.2'], ['v1.4.0']],
    ['paymnets', ['payments', 'catalog'], ['payments']],
    ['payments', ['payments-api', 'payments-web', 'ledger'], ['payments-api', 'payments-web']],
    ['Catalogue', ['catalog'], ['catalog']],
    ['ledger', ['payments', 'catalog'], []],
    ['', ['v1.0.0', 'v'], []],
    ['x', ['y'], []],
    ['1.0.1', ['v1.0.2', 'v1.0.3', 'v1.0.4', 'v1.0.5'], ['v1.0.2', 'v1.0.3', 'v1.0.4']],
  ])('of %j among %j are %j', (name, known, nearest) => {
    expect(nearestNames(name, known)).toEqual(nearest);
  });
});
