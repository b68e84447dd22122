import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { escapeFormulaInField, escapeFormula } from './csv.js';

const LEADS = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠', '﹦', '﹢', '﹣', '﹫', '−'];
const UNSEEN = [
  ' ',
  '\u00A0',
  '\u200B',
  '\u200E',
  '\u202E',
  '\u2060',
  '\uFEFF',
  '\u3000',
  '\u0001',
  '\u00AD',
  '\uFE0F',
];

describe('a text that a spreadsheet might compute', () => {
  it.each(LEADS)('is behind an apostrophe: %j', (lead) => {
    expect(escapeFormula(`${lead}1+1`)).toBe(`'${lead}1+1`);
    expect(escapeFormula(lead)).toBe(`'${lead}`);
  });

  it.each(UNSEEN)('is escaped behind invisible characters: %j', (unseen) => {
    for (const lead of LEADS) expect(escapeFormula(`${unseen}${unseen}${lead}A1`)).toBe(`'${unseen}${unseen}${lead}A1`);
  });

  it('is any that begins so, whatever follows', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...UNSEEN), { maxLength: 4 }),
        fc.constantFrom(...LEADS),
        fc.string({ unit: 'binary' }),
        (unseen, lead, rest) => {
          const text = unseen.join('') + lead + rest;
          expect(escapeFormula(text)).toBe(`'${text}`);
        },
      ),
    );
  });

  it('is escaped where another separator would begin a cell', () => {
    expect(escapeFormulaInField('a;=1+1')).toBe("a;'=1+1");
    expect(escapeFormulaInField('a\t@b|\u200B＝c\n-d')).toBe("a\t'@b|'\u200B＝c\n'-d");
    expect(escapeFormulaInField('=a;=b')).toBe("'=a;'=b");
  });

  it('is seen behind quotation marks that such a separator empties', () => {
    expect(escapeFormulaInField('a;"=1+1;b')).toBe(`a;'"=1+1;b`);
    expect(escapeFormulaInField('a\t" "＠b')).toBe(`a\t'" "＠b`);
  });
});

describe('any other text', () => {
  it.each([
    '',
    'payments',
    'v1.4.0',
    "'=1",
    'a=b',
    'a-b',
    'ops@acme',
    '1e5',
    '🚀',
    'مرحبا',
    '  padded',
    'a;b',
    'a; b\nc',
  ])('is left alone: %j', (text) => {
    expect([escapeFormula(text), escapeFormulaInField(text)]).toEqual([text, text]);
  });
});
