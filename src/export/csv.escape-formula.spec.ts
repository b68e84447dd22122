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

describe('escapeFormula', () => {
  it.each(LEADS)('puts an apostrophe before a text that begins with %j', (lead) => {
    expect(escapeFormula(`${lead}1+1`)).toBe(`'${lead}1+1`);
    expect(escapeFormula(lead)).toBe(`'${lead}`);
  });

  it.each(UNSEEN)('escapes a formula after the invisible character %j', (unseen) => {
    for (const lead of LEADS) expect(escapeFormula(`${unseen}${unseen}${lead}A1`)).toBe(`'${unseen}${unseen}${lead}A1`);
  });

  it('escapes every text that begins like a formula', () => {
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

  it('escapes a formula in a field after a separator of another locale', () => {
    expect(escapeFormulaInField('a;=1+1')).toBe("a;'=1+1");
    expect(escapeFormulaInField('a\t@b|\u200B＝c\n-d')).toBe("a\t'@b|'\u200B＝c\n'-d");
    expect(escapeFormulaInField('=a;=b')).toBe("'=a;'=b");
  });

  it('escapes a formula after each separator from which only invisible characters lead to it', () => {
    const marks = [';', '|', '"', '\t', '\r', '\n', 'a', ...LEADS.slice(0, 4), ...UNSEEN];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...marks), { maxLength: 30 }), (parts) => {
        // Slow and simple: it looks ahead from each separator.
        const expected = escapeFormula(parts.join('')).replace(
          /[;|\t\r\n](?=["\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-@])/gu,
          "$&'",
        );
        expect(escapeFormulaInField(parts.join(''))).toBe(expected);
      }),
    );
  });

  it.each(['\t', '\n"', ';', ' \r', '|\u200B'])('ends for a text of many %j', (part) => {
    const text = `a${part.repeat(1_000_000)}`;
    expect(escapeFormulaInField(text)).toBe(text);
  });

  it('escapes a formula after quotation marks that follow such a separator', () => {
    expect(escapeFormulaInField('a;"=1+1;b')).toBe(`a;'"=1+1;b`);
    expect(escapeFormulaInField('a\t" "＠b')).toBe(`a\t'" "＠b`);
  });
});

describe('a text without a formula', () => {
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
  ])('is unchanged: %j', (text) => {
    expect([escapeFormula(text), escapeFormulaInField(text)]).toEqual([text, text]);
  });
});
