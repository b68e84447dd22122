import { describe, expect, it } from '@jest/globals';
import { hideSecret, hideSecrets, plainText, safeJson, safeLines } from './plain-text.js';

const KEY = `sgk_${'Ab3'.repeat(15)}`;
const [START, END] = [KEY.slice(0, 9), KEY.slice(9)];
hideSecret(KEY);
hideSecret('short');

describe('a hidden credential', () => {
  it.each([
    ['as it is', `key ${KEY} is invalid`],
    ['twice', `${KEY}${KEY} and ${KEY}`],
    ['with a direction mark', `key ${START}\u200E${END}`],
    ['with a control character', `key ${START}\u0007${END}`],
    ['with a character without a width', `key ${START}\u200B${END}`],
    ['with a joiner, which other texts may contain', `key ${START}\u200D${END}`],
    ['with a variation selector', `key ${START}\uFE0F${END}`],
    ['with a filler', `key ${START}\u3164${END}`],
    ['with a byte order mark', `key ${START}\uFEFF${END}`],
    ['with a line separator', `key ${START}\u2028${END}`],
    ['with a paragraph separator', `key ${START}\u2029${END}`],
    ['with a line break', `key ${START}\n${END}`],
    ['with a tab', `key ${START}\t${END}`],
    ['with a tag character', `key ${START}\u{E0041}${END}`],
    ['with such a character between all others', KEY.split('').join('\u2060')],
  ])('is replaced %s', (_, text) => {
    for (const written of [safeLines([text]), plainText(text), safeJson({ text }), safeJson({ [text]: 1 })]) {
      expect(written).toContain('***');
      expect(written).not.toContain(START);
    }
    expect(hideSecrets({ reasons: [{ detail: text }], count: 1, none: null })).toEqual({
      reasons: [{ detail: expect.stringContaining('***') }],
      count: 1,
      none: null,
    });
  });

  it('leaves the other characters of its text as they are', () => {
    expect(hideSecrets(`a family: 👩‍👩‍👧\nkey ${KEY}`)).toBe('a family: 👩‍👩‍👧\nkey ***');
  });

  it('is replaced in the line after another', () => {
    expect(safeLines([`one\n${KEY}\r\ntwo`])).toBe('one\n***\ntwo\n');
  });

  it('leaves every other text as it is', () => {
    const texts = ['short', `${START}…`, 'a family: 👩‍👩‍👧', 'می‌خواهم', KEY.toLowerCase()];
    expect(texts.map(plainText)).toEqual(texts);
    expect(JSON.parse(safeJson({ texts }))).toEqual({ texts });
  });
});

describe('a text from elsewhere', () => {
  it.each([
    ['\u001B[2Jcleared', '[2Jcleared'],
    ['left\u202Ethgir', 'leftthgir'],
    ['pay\u200Bments', 'payments'],
    ['pay\u{E0041}ments', 'payments'],
    ['::error::no', ': :error::no'],
    ['##vso[task.setvariable]x', '## vso[task.setvariable]x'],
    ['##teamcity[x]', '## teamcity[x]'],
  ])('%j is written as %j', (text, expected) => {
    expect(safeLines([text])).toBe(`${expected}\n`);
  });

  it('keeps its content in a JSON document', () => {
    const text = 'a\u202Eb\u{E0041}c\uFEFFd ##vso[x]';
    const written = safeJson({ text });
    expect(JSON.parse(written)).toEqual({ text });
    expect(written).not.toMatch(/[^ -~]|##vso/u);
  });
});
